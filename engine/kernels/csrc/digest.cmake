# Writes OUT, a source that carries a digest of all files in FOLDER; `digest` in
# packaging/devenv/native_library.py makes the same.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
foreach(file IN LISTS files)
  file(SHA256 ${FOLDER}/${file} digest)
  string(APPEND text "${file} ${digest}\n")
endforeach()
string(SHA256 digest "${text}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "#include \"cpu/export.h\"\n\n\
PACELINE_EXPORT const char* paceline_sources() { return \"${digest}\"; }\n")
