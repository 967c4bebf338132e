# /lecture.
-found_by = exposé, diapositives, présentation, projecteur, vidéoprojecteur, salle de classe, amphi, enseignement, enseignant, professeur, conférencier, cours, quiz, vote, sondage, boîtier de vote, clicker, QR code
