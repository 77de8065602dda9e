/** Names of tags: git's rules, and what a file system can bear. */

/** Where tags are. */
export const TAGS = 'refs/tags/'
/** Tags of deleted releases: hidden from clones, but kept, since their names are not given again. */
export const FORMER_RELEASES = 'refs/parlance/released/'
/** Longest tag name in characters; each part is a file name, and few systems take longer ones. */
const MOST_CHARACTERS = 250
/** What git-check-ref-format(1) forbids in a name, and all white space. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs}~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u
const FORBIDDEN_PART = /^(?:\.|-)|\.lock$|^$/i

/** Whether a tag may have this name: git-check-ref-format(1), and no leading hyphen, as in `git tag`. */
export function isTagName(name: string): boolean {
  if (name.length > MOST_CHARACTERS || name === '@' || FORBIDDEN.test(name)) return false
  return !name.split('/').some(part => FORBIDDEN_PART.test(part))
}
