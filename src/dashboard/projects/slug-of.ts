/** A slug that fits a name: what the API takes (`checkSlug`), proposed and free to be changed. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.filter(Boolean).join('-').slice(0, 64).replace(/-$/, '')
}
