# /dependency.
-found_by = dependency on the branch, Admin, share of the variance, residual branch, Liu
