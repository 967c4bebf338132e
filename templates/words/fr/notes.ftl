# /notes.
-found_by = notes de cours, cours, polycopié, bibliographie, références, lectures conseillées, littérature, articles
