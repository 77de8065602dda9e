/** Splits a PostgreSQL address with several hosts, in libpq's form, into one address for each host. */

const FORM = /^(postgres(?:ql)?:\/\/(?:[^@/?#\s]*@)?)([^@/?#\s]*)(\/[^?#\s]*(?:\?[^#\s]*)?)?$/
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * One address for each host of `postgres://user:password@a:5432,b,c/database?sslmode=verify-full`; undefined for
 * anything else.
 */
export function postgresUrls(text: string): string[] | undefined {
  const [, before, hosts, after = ''] = FORM.exec(text) ?? []
  if (before === undefined || hosts === undefined) return undefined
  const all = hosts.split(',')
  // Without a host the query may name the folder of a socket.
  if (hosts !== '' && !all.every(host => HOST.test(host))) return undefined
  const urls = all.map(host => `${before}${host}${after}`)
  return urls.every(url => URL.canParse(url.replace('postgresql:', 'postgres:'))) ? urls : undefined
}
