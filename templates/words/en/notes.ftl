# /notes.
-found_by = lecture notes, course, bibliography, references, reading list, literature
