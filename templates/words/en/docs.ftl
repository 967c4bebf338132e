# /docs.
-found_by = API, REST, endpoint, Python, Python client, NumPy, notebook, Jupyter, pandas, download numbers, raw data, export, curl, JSON, OpenAPI, documentation
