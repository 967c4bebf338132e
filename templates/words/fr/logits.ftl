# Ce que l’API dit des champs de ses questions et réponses, par classe.
