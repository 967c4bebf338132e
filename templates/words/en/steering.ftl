# /steering.
-found_by = steering vector, activation addition, activation engineering, control vector, representation engineering, concept direction, intervention, Turner
