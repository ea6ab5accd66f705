/** The check for mistyped email domains, loaded when an address has been entered. */
export { mailboxMeant } from '../../../engine/index.ts'
