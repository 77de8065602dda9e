/** What a tag may be called: git's own rules, and what a file system can bear. */

/** Where tags are. */
export const TAGS = 'refs/tags/'
/** Where the tags of deleted releases go: out of the clones' sight, and still known, since their names are not given to anything else. */
export const FORMER_RELEASES = 'refs/parlance/released/'
/** Longest name of a tag, in characters; each part of it is a file's name, which few systems let be longer. */
const MOST_CHARACTERS = 250
/** What git-check-ref-format(1) forbids anywhere in a name, and white space of every kind. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs}~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/u
const FORBIDDEN_PART = /^(?:\.|-)|\.lock$|^$/i

/** Whether a tag may be called that, by git's own rules (git-check-ref-format(1), and no leading hyphen, as `git tag` has it). */
export function isTagName(name: string): boolean {
  if (name.length > MOST_CHARACTERS || name === '@' || FORBIDDEN.test(name)) return false
  return !name.split('/').some(part => FORBIDDEN_PART.test(part))
}
