/** Credentials of Razorpay accounts, read from the environment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectOk } from '../../../../engine/index.ts'
import { readEnvironment } from '../../../../server/ops/environment.ts'
import { listMissingAccounts } from '../../../../server/ops/gateway-accounts.ts'
import { openAccounts } from '../../../../server/payments/gateways/gateway-definition.ts'
import { toRazorpayAccount } from '../../../../server/payments/gateways/razorpay/credentials.ts'
import type { Variables } from '../../../../server/ops/environment.ts'
import { createRazorpaySandboxAccount } from '../../../../server/payments/gateways/razorpay/simulator/simulator.ts'
import { createRazorpayEvent } from './fake-razorpay.ts'

const LIVE = { GATEWAY_MODE: 'live', PUBLIC_URL: 'https://register.example.org' }
const ACCOUNT = {
  RAZORPAY_MID_ZONE_KEY_ID: 'rzp_live_Abc1',
  RAZORPAY_MID_ZONE_KEY_SECRET: 'key-secret',
  RAZORPAY_MID_ZONE_WEBHOOK_SECRET: 'webhook-now',
}
const listProblems = (variables: Variables): readonly string[] => {
  const result = readEnvironment(variables)
  return result.ok ? [] : result.error.filter((text) => text.includes('RAZORPAY'))
}

const readAccount = (variables: Variables) => {
  const { accounts } = expectOk(readEnvironment(variables))
  const options = {
    environment: { gatewayMode: 'live' },
    accounts: accounts.razorpay ?? {},
  } as const
  return openAccounts(options, {
    toAccount: toRazorpayAccount,
    sandboxAccount: createRazorpaySandboxAccount,
  })('mid-zone')
}

test('an account has a key, its secret and one or two webhook secrets', () => {
  const PREVIOUS_WEBHOOK_SECRET = { RAZORPAY_MID_ZONE_OLD_WEBHOOK_SECRET: 'webhook-before' }
  expect(readAccount(ACCOUNT)).toEqual({
    name: 'mid-zone',
    keyId: 'rzp_live_Abc1',
    keySecret: 'key-secret',
    webhookSecrets: ['webhook-now'],
  })
  const account = readAccount({ ...ACCOUNT, ...PREVIOUS_WEBHOOK_SECRET })
  expect(account?.webhookSecrets).toEqual(['webhook-now', 'webhook-before'])
})

test('a secret can be read from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-secrets-'))
  const file = join(folder, 'secret')
  writeFileSync(file, 'from-a-file\n')
  const { RAZORPAY_MID_ZONE_KEY_SECRET: _secret, ...otherVariables } = ACCOUNT
  const environment = readEnvironment({
    ...otherVariables,
    RAZORPAY_MID_ZONE_KEY_SECRET_FILE: file,
  })
  expect(expectOk(environment).accounts.razorpay?.['mid-zone']?.['KEY_SECRET']).toBe('from-a-file')
  rmSync(folder, { recursive: true })
})

test.each<[string, Variables, RegExp]>([
  [
    'a missing credential',
    { ...ACCOUNT, RAZORPAY_MID_ZONE_WEBHOOK_SECRET: '' },
    /^RAZORPAY_MID_ZONE_WEBHOOK_SECRET is missing/,
  ],
  [
    'only the previous webhook secret',
    { RAZORPAY_X_OLD_WEBHOOK_SECRET: 'before' },
    /^RAZORPAY_X_KEY_ID, RAZORPAY_X_KEY_SECRET, RAZORPAY_X_WEBHOOK_SECRET are missing/,
  ],
  [
    'a key with an invalid format',
    { ...ACCOUNT, RAZORPAY_MID_ZONE_KEY_ID: 'abc' },
    /must begin with rzp_live_ or rzp_test_/,
  ],
  [
    'a test key with real payments',
    { ...LIVE, ...ACCOUNT, RAZORPAY_MID_ZONE_KEY_ID: 'rzp_test_Abc1' },
    /test mode, where no money moves, but GATEWAY_MODE is live/,
  ],
])('%s is refused', (_name, variables, text) => {
  expect(listProblems(variables)).toEqual([expect.stringMatching(text)])
})

test('an event without its account is not served with real payments', () => {
  const { payment } = createRazorpayEvent()
  const event = createRazorpayEvent({
    payment: payment === null ? null : { ...payment, account: 'mid-zone' },
  })
  const createEnvironment = (variables: Variables) => ({
    ...expectOk(readEnvironment(variables)),
    gatewayMode: 'live' as const,
  })
  expect(listMissingAccounts(createEnvironment(ACCOUNT), [event])).toEqual([])
  expect(listMissingAccounts(createEnvironment({}), [event])).toEqual([
    expect.stringMatching(
      /uses the Razorpay account "mid-zone", so RAZORPAY_MID_ZONE_KEY_ID, RAZORPAY_MID_ZONE_KEY_SECRET and RAZORPAY_MID_ZONE_WEBHOOK_SECRET must be set/,
    ),
  ])
})
