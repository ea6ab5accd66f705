/** Defines the variables with the credentials of each gateway's merchant accounts. */
import type { GatewayKind } from '../../../engine/index.ts'
import type { AccountVariables, GatewayMode } from '../../dependencies.ts'
import { AIRPAY_CREDENTIALS } from './airpay/credentials.ts'
import { RAZORPAY_CREDENTIALS } from './razorpay/credentials.ts'

/** The variables are named `<KIND>_<ACCOUNT>_<PART>`; each of them may also be read from a file. */
export type CredentialVariables = {
  readonly parts: readonly string[]
  readonly optionalParts?: readonly string[]
  /**
   * Returns a sentence with the reason why this account cannot be used. `prefix` is the first part of its variables'
   * names.
   */
  readonly findProblem?: (
    values: AccountVariables,
    prefix: string,
    mode: GatewayMode | undefined,
  ) => string | null
}

export const GATEWAY_CREDENTIALS: Readonly<Record<GatewayKind, CredentialVariables>> = {
  airpay: AIRPAY_CREDENTIALS,
  razorpay: RAZORPAY_CREDENTIALS,
}
