/** Selects the gateway from the environment: our simulator, Airpay's sandbox, or Airpay. */
import { accountKey } from '../../ops/environment.ts'
import type {
  Account,
  Environment,
  EventRegistry,
  GatewayAdapter,
  Log,
} from '../../dependencies.ts'
import { err, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import { createAirpayGateway } from './airpay/airpay.ts'
import type { Addresses, AirpayOptions } from './airpay/airpay.ts'
import { openSandbox, sandboxAccount, sandboxAddresses } from './airpay/simulator/simulator.ts'
import type { Sandbox } from './airpay/simulator/simulator.ts'

/** Return path for events that set no path. */
export const DEFAULT_RETURN_PATH = '/api/payment/return/'
export const WEBHOOK_PATH = '/api/payment/webhook/'

export type OpenGateway = {
  readonly gateway: GatewayAdapter
  readonly sandbox: Sandbox | null
  readonly close: () => Promise<void>
}
export type GatewayOptions = {
  readonly environment: Pick<
    Environment,
    | 'gatewayMode'
    | 'accounts'
    | 'sandboxPort'
    | 'host'
    | 'publicUrl'
    | 'dataDir'
    | 'airpayChecksum'
    | 'airpayAssumed'
  >
  readonly events: Pick<EventRegistry, 'all' | 'byOrderId'>
  readonly clock: () => Instant
  readonly log: Log
  /** Public address of the app; a function, because a port may be known only once the app listens. */
  readonly publicUrl?: () => string
}

/** Fails with a readable message if the simulator's port is in use. */
export async function openGateway({
  environment,
  events,
  clock,
  log,
  publicUrl = () => environment.publicUrl,
}: GatewayOptions): Promise<Result<OpenGateway, string>> {
  const { gatewayMode: mode, airpayChecksum: variant = 'A', airpayAssumed: assumed } = environment
  if (mode !== 'sandbox') {
    const gateway = createAirpayGateway({
      mode,
      variant,
      ...toAssumptions(assumed),
      events,
      account: (name) => environment.accounts[accountKey(name)] ?? null,
      addresses: null,
    })
    return ok({ gateway, sandbox: null, close: async () => {} })
  }
  const accounts = (): readonly Account[] =>
    events
      .all()
      .flatMap(({ config }) =>
        config.payment === null ? [] : [sandboxAccount(config.payment.account)],
      )
  const sandbox = await openSandbox({
    port: environment.sandboxPort,
    host: environment.host,
    publicUrl: environment.publicUrl,
    dataDir: environment.dataDir,
    accounts,
    returnUrl: (merchantId) => {
      const eventWithPath = events
        .all()
        .find(
          ({ config }) =>
            config.payment !== null &&
            config.api.gatewayReturn !== null &&
            sandboxAccount(config.payment.account).merchantId === merchantId,
        )
      return `${publicUrl()}${eventWithPath?.config.api.gatewayReturn ?? DEFAULT_RETURN_PATH}`
    },
    noticeUrl: () => `${publicUrl()}${WEBHOOK_PATH}`,
    clock,
    log,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return null
    throw error
  })
  if (sandbox === null)
    return err(
      `Port ${environment.sandboxPort} on ${environment.host} is already in use, and the sandbox gateway needs it. Set SANDBOX_PORT to a free one.`,
    )
  const gateway = createAirpayGateway({
    mode,
    variant,
    events,
    account: sandboxAccount,
    addresses: sandbox.addresses,
  })
  return ok({ gateway, sandbox, close: sandbox.close })
}

/**
 * Returns the credentials and addresses of the running server, for a CLI command. `addresses` is null if those of the
 * gateways file apply.
 */
export function readServerAccounts(environment: GatewayOptions['environment']): {
  readonly accountOf: (name: string) => Account | null
  readonly addresses: Addresses | null
} {
  const { gatewayMode: mode, accounts, publicUrl, host, sandboxPort: port } = environment
  return mode === 'sandbox'
    ? { accountOf: sandboxAccount, addresses: sandboxAddresses({ publicUrl, host, port }) }
    : { accountOf: (name) => accounts[accountKey(name)] ?? null, addresses: null }
}

/** Returns only the adapter, for a CLI command; in a rehearsal it queries the running server's simulator. */
export function connectToServerGateway({
  environment,
  events,
}: Pick<GatewayOptions, 'environment' | 'events'>): GatewayAdapter {
  const { gatewayMode: mode, airpayChecksum: variant = 'A', airpayAssumed } = environment
  const { accountOf: account, addresses } = readServerAccounts(environment)
  return createAirpayGateway({
    mode,
    variant,
    events,
    account,
    addresses,
    ...toAssumptions(airpayAssumed),
  })
}

function toAssumptions(assumed: Environment['airpayAssumed']): Pick<AirpayOptions, 'assumed'> {
  return assumed === undefined ? {} : { assumed }
}
