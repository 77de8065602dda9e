/** Proposes a slug for a name: valid for the API (`checkSlug`), and the user may change it. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.filter(Boolean).join('-').slice(0, 64).replace(/-$/, '')
}
