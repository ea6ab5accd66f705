/** Which mailbox was meant: loaded when somebody has given an address. */
export { mailboxMeant } from '../../../engine/index.ts'
