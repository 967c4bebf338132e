# /basis.
-found_by = privileged basis, rotation of the residual stream, rotate, meaning of a channel, basis-free
