/** Defines the registry entry for Razorpay: adapter, connection check, settlements and simulator. */
import { err, ok } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import { openAccounts } from '../gateway-definition.ts'
import type {
  AccountQuery,
  AdapterOptions,
  GatewayDefinition,
  SettlementPeriod,
  SettlementRows,
} from '../gateway-definition.ts'
import { getSignedWebhookPath } from '../message-paths.ts'
import { checkRazorpay } from './connection-check.ts'
import { toRazorpayAccount } from './credentials.ts'
import type { RazorpayAccount } from './credentials.ts'
import { findRazorpayPayer } from './payer.ts'
import { createRazorpayGateway } from './razorpay.ts'
import { fetchSettlement, SETTLEMENT_HEADINGS, toSettlementRow } from './settlement.ts'
import { SIMULATOR_PATH } from './simulator/simulator-api.ts'
import { openRazorpaySimulator, createRazorpaySandboxAccount } from './simulator/simulator.ts'
import type { RazorpaySimulator } from './simulator/simulator-types.ts'

const createAccountLookup = (
  options: Pick<AdapterOptions, 'environment' | 'accounts'>,
): ((name: string) => RazorpayAccount | null) =>
  openAccounts(options, {
    toAccount: toRazorpayAccount,
    sandboxAccount: createRazorpaySandboxAccount,
  })

export const razorpayDefinition: GatewayDefinition<RazorpaySimulator> = {
  statusContentType: 'application/json',
  signedWebhook: {
    signatureHeader: 'x-razorpay-signature',
    eventIdHeader: 'x-razorpay-event-id',
  },
  openAdapter: (options) => {
    const { events, addresses, checkouts, returnAddress } = options
    return createRazorpayGateway({
      events,
      account: createAccountLookup(options),
      addresses:
        addresses === null
          ? null
          : { pay: addresses.pay, api: addresses.status, hops: addresses.hops },
      checkouts,
      returnAddress,
    })
  },
  findPayer: findRazorpayPayer,
  checkConnection: async (query) => {
    const account = createAccountLookup(query)(query.account)
    if (account === null) return { is: 'no-credentials' }
    const { addresses, orderId, shouldCompareKeys, at, timeoutMs } = query
    const address = addresses.status
    return {
      is: 'checked',
      ...(await checkRazorpay({ address, account, orderId, shouldCompareKeys, at, timeoutMs })),
    }
  },
  fetchSettlement: (query, period) => {
    const account = createAccountLookup(query)(query.account)
    return account === null ? null : readSettlement(query, account, period)
  },
  openSimulator: ({ dataDir, events, publicUrl, clock, log }) =>
    openRazorpaySimulator({
      dataDir,
      accounts: () =>
        events
          .all()
          .flatMap(({ config }) => config.payment ?? [])
          .map(({ account }) => createRazorpaySandboxAccount(account)),
      webhookUrl: () => `${publicUrl()}${getSignedWebhookPath('razorpay')}`,
      clock,
      log,
    }),
  getSimulatorAddresses: ({ page, hop, server }) => ({
    pay: `${page}${SIMULATOR_PATH}checkout/embedded`,
    status: `${server}${SIMULATOR_PATH}`,
    refund: `${server}${SIMULATOR_PATH}`,
    hops: [page, hop],
  }),
}

async function readSettlement(
  { addresses, timeoutMs }: AccountQuery,
  account: RazorpayAccount,
  period: SettlementPeriod,
): Promise<Result<SettlementRows, string>> {
  const signal = AbortSignal.timeout(timeoutMs)
  const report = await fetchSettlement({ address: addresses.status, account, signal }, period)
  if (!report.ok) return report
  const rows = report.value.map(toSettlementRow)
  return rows.every((row) => row !== null)
    ? ok([[...SETTLEMENT_HEADINGS], ...rows])
    : err('a row has an unknown format, so nothing is printed')
}
