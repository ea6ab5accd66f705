/** Defines the registry entry for Airpay: adapter, connection check and simulator. */
import { openAccounts } from '../gateway-definition.ts'
import type { GatewayDefinition } from '../gateway-definition.ts'
import { DEFAULT_RETURN_PATH, WEBHOOK_PATH } from '../message-paths.ts'
import { createAirpayGateway } from './airpay.ts'
import { checkGateway } from './connection-check.ts'
import { toAccount } from './credentials.ts'
import { findPayer } from './payer-name.ts'
import {
  openAirpaySimulator,
  createSandboxAccount,
  getAirpaySimulatorAddresses,
} from './simulator/simulator.ts'
import type { AirpaySimulator } from './simulator/simulator.ts'

const STATUS_CONTENT_TYPE = 'text/xml'

export const airpayDefinition: GatewayDefinition<AirpaySimulator> = {
  statusContentType: STATUS_CONTENT_TYPE,
  openAdapter: (options) => {
    const { environment, events, addresses } = options
    const {
      gatewayMode: mode,
      airpayChecksum: variant = 'A',
      airpayAssumed: assumedFields,
    } = environment
    return createAirpayGateway({
      mode,
      variant,
      ...(assumedFields === undefined || mode === 'sandbox' ? {} : { assumed: assumedFields }),
      events,
      account: openAccounts(options, { toAccount, sandboxAccount: createSandboxAccount }),
      addresses,
    })
  },
  findPayer: (response, messages) =>
    findPayer([{ body: response, contentType: STATUS_CONTENT_TYPE }, ...messages]),
  checkConnection: async (query) => {
    const { gatewayMode: mode, airpayAssumed } = query.environment
    if (mode === 'airpay-test')
      return {
        is: 'impossible',
        why: "Airpay's own sandbox has no status call, so it cannot be checked.",
      }
    const account = openAccounts(query, { toAccount, sandboxAccount: createSandboxAccount })(
      query.account,
    )
    if (account === null) return { is: 'no-credentials' }
    const result = await checkGateway({
      ...query,
      address: query.addresses.status,
      account,
      assumed: airpayAssumed ?? { currency: false, sale: false },
    })
    return { is: 'checked', ...result }
  },
  openSimulator: ({ dataDir, events, publicUrl, clock, log }) =>
    openAirpaySimulator({
      dataDir,
      accounts: () =>
        events
          .all()
          .flatMap(({ config }) => config.payment ?? [])
          .map(({ account }) => createSandboxAccount(account)),
      returnUrl: (merchantId) => {
        const eventWithPath = events
          .all()
          .find(
            ({ config }) =>
              config.payment !== null &&
              config.api.gatewayReturn !== null &&
              createSandboxAccount(config.payment.account).merchantId === merchantId,
          )
        return `${publicUrl()}${eventWithPath?.config.api.gatewayReturn ?? DEFAULT_RETURN_PATH}`
      },
      webhookUrl: () => `${publicUrl()}${WEBHOOK_PATH}`,
      clock,
      log,
    }),
  getSimulatorAddresses: getAirpaySimulatorAddresses,
}
