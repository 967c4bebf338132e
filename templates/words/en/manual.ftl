# /manual.
-found_by = manual, handbook, user guide, documentation of the product, install, installation, Windows, settings, environment variables, own model, own data, deploy, server, nginx, proxy, container, service, cluster, contributing, license
