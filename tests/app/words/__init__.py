"""What pages say as data (`app.captions.words`): the reader, its helpers, and the words of every
page held against answers. A page has its facts in a file here, and its approved texts in
`approved/`.
"""
