/** The field that a refusal of the server is about. */

/** @param sentence of the server @returns `term`, `note`, `de.use`, or undefined for none of the form */
export function refusedField(sentence: string): string | undefined {
  const why = sentence.replace(/^The term ".*?" does not fit: /, '')
  const list = /"translations\.([^".]+)(?:\.(use|avoid))?"/.exec(why)
  if (list) return `${list[1]}.${list[2] ?? 'use'}`
  if (/"note"/.test(why)) return 'note'
  return /^"term"|^These terms stand twice/.test(why) ? 'term' : undefined
}
