/** nginx with a site of our guides, as a user without rights runs it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes its configuration. @param site what is to stand in `http {}` @returns what starts it, in the foreground */
export function nginxWith(site: string, folder: string): [string, ...string[]] {
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${join(folder, kind)};`)
    .join('\n')
  writeFileSync(
    file,
    `daemon off;\nmaster_process off;\npid ${join(folder, 'pid')};\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}}\n`,
  )
  return ['nginx', '-p', folder, '-c', file, '-e', 'stderr']
}
