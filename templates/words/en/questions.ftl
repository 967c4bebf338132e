# /questions.
-found_by = FAQ, frequently asked questions, exam, exercises, common questions
