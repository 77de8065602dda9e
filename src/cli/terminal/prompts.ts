/** The prompts that are asked, and no others of the library: late, since most commands ask nothing. */
export { confirm, password, select, text } from '@clack/prompts'
