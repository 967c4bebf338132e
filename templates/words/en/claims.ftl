# /claims.
-found_by = misconceptions, myths, errors in textbooks, fact check, true or false
