/** Reads the gateways' merchant account credentials from the environment, and reports missing ones. */
import {
  getAccountPrefix,
  GATEWAY_CAPABILITIES,
  listGatewayAccounts,
  getGatewayKind,
  toAccountKey,
} from '../../engine/index.ts'
import type { EventConfig, GatewayKind } from '../../engine/index.ts'
import type {
  AccountVariables,
  Environment,
  GatewayAccounts,
  GatewayMode,
} from '../dependencies.ts'
import { GATEWAY_CREDENTIALS } from '../payments/gateways/credentials.ts'
import type { CredentialVariables } from '../payments/gateways/credentials.ts'

const KINDS = Object.keys(GATEWAY_CREDENTIALS) as readonly GatewayKind[]
const listParts = ({ parts, optionalParts = [] }: CredentialVariables): readonly string[] => [
  ...parts,
  ...optionalParts,
]

/** Matches the variables that contain secrets, which may also be read from a file. */
export const ACCOUNT_VARIABLE_PATTERN = KINDS.map(
  (kind) => `${kind.toUpperCase()}_.+_(?:${listParts(GATEWAY_CREDENTIALS[kind]).join('|')})`,
).join('|')

/** Returns the variable for one part of an account in an event file: `mid-zone` → `RAZORPAY_MID_ZONE_KEY_ID`. */
export const getAccountVariable = (kind: GatewayKind, account: string, part: string): string =>
  `${getAccountPrefix(kind, account)}${part}`

/** Returns the variables that an account of a gateway needs. */
export const listAccountVariables = (kind: GatewayKind, account: string): readonly string[] =>
  GATEWAY_CREDENTIALS[kind].parts.map((part) => getAccountVariable(kind, account, part))

/**
 * Returns each account under the name that event files use: in lower case, with `-` instead of the variable's `_`.
 */
export function readAccounts(
  names: readonly string[],
  readVariable: (name: string) => string | null,
  mode: GatewayMode | undefined,
  problems: string[],
): Environment['accounts'] {
  return Object.fromEntries(
    KINDS.map((kind) => [kind, readGatewayAccounts(kind, names, readVariable, mode, problems)]),
  )
}

function readGatewayAccounts(
  kind: GatewayKind,
  names: readonly string[],
  readVariable: (name: string) => string | null,
  mode: GatewayMode | undefined,
  problems: string[],
): GatewayAccounts {
  const { parts, findProblem = () => null } = GATEWAY_CREDENTIALS[kind]
  const allParts = listParts(GATEWAY_CREDENTIALS[kind])
  const pattern = new RegExp(`^${kind.toUpperCase()}_(.+?)_(?:${allParts.join('|')})$`)
  const accountNames = new Set(
    names.flatMap((name) => (readVariable(name) === null ? [] : (pattern.exec(name)?.[1] ?? []))),
  )
  const accounts: Record<string, AccountVariables> = {}
  for (const name of accountNames) {
    const prefix = getAccountPrefix(kind, name)
    const missingParts = parts.filter((part) => readVariable(`${prefix}${part}`) === null)
    if (missingParts.length > 0) {
      problems.push(
        `${missingParts.map((part) => `${prefix}${part}`).join(', ')} ${missingParts.length === 1 ? 'is' : 'are'} missing: an account needs ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}.`,
      )
      continue
    }
    const values = Object.fromEntries(
      allParts.flatMap((part): [string, string][] => {
        const value = readVariable(`${prefix}${part}`)
        return value === null ? [] : [[part, value]]
      }),
    )
    const problem = findProblem(values, prefix, mode)
    if (problem !== null) problems.push(problem)
    accounts[toAccountKey(name)] = values
  }
  return accounts
}

/** Describes accounts that events use but that are missing from the environment. The sandbox needs no accounts. */
export function listMissingAccounts(
  { gatewayMode: mode, accounts }: Pick<Environment, 'gatewayMode' | 'accounts'>,
  events: readonly EventConfig[],
): readonly string[] {
  if (mode === 'sandbox') return []
  return events.flatMap((event) =>
    listGatewayAccounts(event).flatMap(({ gateway, account }) => {
      const kind = getGatewayKind(gateway)
      if (accounts[kind]?.[toAccountKey(account)] !== undefined) return []
      const variables = listAccountVariables(kind, account)
      return [
        `Event ${event.id} uses the ${GATEWAY_CAPABILITIES[kind].label} account "${account}", so ${variables.slice(0, -1).join(', ')} and ${variables.at(-1)} must be set with GATEWAY_MODE=${mode}.`,
      ]
    }),
  )
}
