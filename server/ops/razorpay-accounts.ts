/** Reads the credentials of Razorpay accounts from the variables, and reports what is missing. */
import type { GatewayMode, RazorpayAccount } from '../dependencies.ts'

const PARTS = ['KEY_ID', 'KEY_SECRET', 'WEBHOOK_SECRET'] as const
type Part = (typeof PARTS)[number] | 'OLD_WEBHOOK_SECRET'
const ACCOUNT_PATTERN = /^RAZORPAY_(.+?)_(KEY_ID|KEY_SECRET|OLD_WEBHOOK_SECRET|WEBHOOK_SECRET)$/

/** Returns the environment variable for an event file's account: `mid-zone` → `RAZORPAY_MID_ZONE_KEY_ID`. */
export const razorpayVariable = (account: string, part: Part): string =>
  `RAZORPAY_${account.toUpperCase().replaceAll('-', '_')}_${part}`

/** `OLD_WEBHOOK_SECRET` is optional: webhooks that are repeated after a change are still signed with the old one. */
export function readRazorpayAccounts(
  names: readonly string[],
  readVariable: (name: string) => string | null,
  mode: GatewayMode | undefined,
  problems: string[],
): Readonly<Record<string, RazorpayAccount>> {
  const accountNames = new Set(
    names.flatMap((name) =>
      readVariable(name) === null ? [] : (ACCOUNT_PATTERN.exec(name)?.[1] ?? []),
    ),
  )
  const accounts: Record<string, RazorpayAccount> = {}
  for (const name of accountNames) {
    const missing = PARTS.filter((part) => readVariable(`RAZORPAY_${name}_${part}`) === null)
    if (missing.length > 0) {
      problems.push(
        `RAZORPAY_${name}_${missing.join(`, RAZORPAY_${name}_`)} ${missing.length === 1 ? 'is' : 'are'} missing: a Razorpay account needs KEY_ID, KEY_SECRET and WEBHOOK_SECRET.`,
      )
      continue
    }
    const readPart = (part: Part): string => readVariable(`RAZORPAY_${name}_${part}`) ?? ''
    const keyId = readPart('KEY_ID')
    if (!/^rzp_(test|live)_\w+$/.test(keyId)) {
      problems.push(`RAZORPAY_${name}_KEY_ID must begin with rzp_live_ or rzp_test_.`)
      continue
    }
    if (mode === 'live' && keyId.startsWith('rzp_test_'))
      problems.push(
        `RAZORPAY_${name}_KEY_ID is a key of Razorpay's test mode, where no money moves, but GATEWAY_MODE is live.`,
      )
    const key = name.toLowerCase().replaceAll('_', '-')
    const old = readPart('OLD_WEBHOOK_SECRET')
    accounts[key] = {
      name: key,
      keyId,
      keySecret: readPart('KEY_SECRET'),
      webhookSecrets: [readPart('WEBHOOK_SECRET'), ...(old === '' ? [] : [old])],
    }
  }
  return accounts
}

/** Describes what an event's account lacks. */
export function missingRazorpayAccount(event: string, account: string, mode: GatewayMode): string {
  const names = PARTS.map((part) => razorpayVariable(account, part))
  return `Event ${event} uses the Razorpay account "${account}", so ${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set with GATEWAY_MODE=${mode}.`
}
