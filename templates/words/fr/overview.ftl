# /overview.
-found_by = architecture du Transformer, schéma de l’architecture, Attention is all you need, The Illustrated Transformer, The Annotated Transformer, Alammar, Vaswani, blocs de l’encodeur et du décodeur, vue d’ensemble, schéma-bloc, traduction automatique
