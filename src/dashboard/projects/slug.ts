/** A slug that fits a name: what the API takes (`checkSlug`), proposed and free to be changed. */
export function slugOf(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return ascii
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '')
}
