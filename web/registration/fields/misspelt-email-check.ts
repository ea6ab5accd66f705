/** The check for mistyped email domains, loaded when an address has been entered. */
export { suggestMailbox } from '../../../engine/index.ts'
