# /lecture.
-found_by = talk, slides, presentation, projector, classroom, teaching, teacher, lecturer, quiz, vote, poll, clicker, QR code
