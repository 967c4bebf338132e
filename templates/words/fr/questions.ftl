# /questions.
-found_by = FAQ, foire aux questions, questions fréquentes, examen, partiel, révisions, exercices
