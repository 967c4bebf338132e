# /several-heads.
-found_by = multi-head attention, multiple heads, more than one head, why many heads, number of heads, eight heads, single head, MHA
