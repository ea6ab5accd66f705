/** The check for mistyped email domains, loaded when an address has been entered. */
export { suggestEmailAddress } from '../../../engine/index.ts'
