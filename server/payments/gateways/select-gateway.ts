/** Selects the gateways from the environment: our simulators, Airpay's sandbox, or the gateways themselves. */
import { accountKey } from '../../ops/environment.ts'
import type {
  Account,
  Environment,
  EventRegistry,
  GatewayAdapter,
  Log,
  RazorpayAccount,
} from '../../dependencies.ts'
import { err, eventsByAccount, gatewayAccounts, ok } from '../../../engine/index.ts'
import type { EventConfig, Instant, Result } from '../../../engine/index.ts'
import type { CheckoutStore } from '../../storage/index.ts'
import { combineGateways } from './combine-gateways.ts'
import { createRazorpayGateway, isRazorpay } from './razorpay/razorpay.ts'
import type { RazorpayAddresses } from './razorpay/razorpay.ts'
import { openRazorpaySimulator, razorpaySandboxAccount } from './razorpay/simulator/simulator.ts'
import type { RazorpaySimulator } from './razorpay/simulator/simulator-types.ts'
import { createAirpayGateway } from './airpay/airpay.ts'
import type { Addresses, AirpayOptions } from './airpay/airpay.ts'
import { openSandbox, sandboxAccount, sandboxAddresses } from './airpay/simulator/simulator.ts'
import type { Sandbox } from './airpay/simulator/simulator.ts'

/** Return path for events that set no path. */
export const DEFAULT_RETURN_PATH = '/api/payment/return/'
export const WEBHOOK_PATH = '/api/payment/webhook/'
/** Where a browser returns to after a checkout at a gateway that sends it back to an address per order. */
export const ORDER_RETURN_PATH = '/api/payment/return-of/'
export const RAZORPAY_WEBHOOK_PATH = '/api/payment/webhook/razorpay/'

export type OpenGateway = {
  readonly gateway: GatewayAdapter
  readonly sandbox: Sandbox | null
  readonly razorpaySandbox: RazorpaySimulator | null
  readonly close: () => Promise<void>
}
export type GatewayOptions = {
  readonly environment: Pick<
    Environment,
    | 'gatewayMode'
    | 'accounts'
    | 'razorpayAccounts'
    | 'sandboxPort'
    | 'host'
    | 'publicUrl'
    | 'dataDir'
    | 'airpayChecksum'
    | 'airpayAssumed'
  >
  readonly events: Pick<EventRegistry, 'all' | 'byOrderId'>
  readonly store: CheckoutStore
  readonly clock: () => Instant
  readonly log: Log
  /** Public address of the app; a function, because a port may be known only once the app listens. */
  readonly publicUrl?: () => string
}

/** Fails with a readable message if the simulator's port is in use. */
export async function openGateway({
  environment,
  events,
  store,
  clock,
  log,
  publicUrl = () => environment.publicUrl,
}: GatewayOptions): Promise<Result<OpenGateway, string>> {
  const { gatewayMode: mode, airpayChecksum: variant = 'A', airpayAssumed: assumed } = environment
  const airpayEvents = selectAirpay(events)
  const openRazorpay = (addresses: RazorpayAddresses | null): GatewayAdapter =>
    createRazorpayGateway({
      events,
      account: razorpayAccounts(environment),
      addresses,
      checkouts: store,
      returnAddress: (orderId) => `${publicUrl()}${ORDER_RETURN_PATH}${orderId}/`,
    })
  if (mode !== 'sandbox') {
    const airpay = createAirpayGateway({
      mode,
      variant,
      ...toAssumptions(assumed),
      events: airpayEvents,
      account: (name) => environment.accounts[accountKey(name)] ?? null,
      addresses: null,
    })
    const gateway = combineGateways({ airpay, razorpay: openRazorpay(null) })
    return ok({ gateway, sandbox: null, razorpaySandbox: null, close: async () => {} })
  }
  const razorpaySandbox = openRazorpaySimulator({
    dataDir: environment.dataDir,
    accounts: () =>
      events
        .all()
        .flatMap(({ config }) => gatewayAccounts(config))
        .filter(({ gateway }) => gateway.kind === 'razorpay')
        .map(({ account }) => razorpaySandboxAccount(account)),
    webhookUrl: () => `${publicUrl()}${RAZORPAY_WEBHOOK_PATH}`,
    clock,
    log,
  })
  const accounts = (): readonly Account[] =>
    airpayEvents
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
      const eventWithPath = airpayEvents
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
    addRoutes: razorpaySandbox.addRoutes,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return null
    throw error
  })
  if (sandbox === null)
    return err(
      `Port ${environment.sandboxPort} on ${environment.host} is already in use, and the sandbox gateway needs it. Set SANDBOX_PORT to a free one.`,
    )
  const airpay = createAirpayGateway({
    mode,
    variant,
    events: airpayEvents,
    account: sandboxAccount,
    addresses: sandbox.addresses,
  })
  razorpaySandbox.start(sandbox.addresses.hops)
  return ok({
    gateway: combineGateways({
      airpay,
      razorpay: openRazorpay(razorpaySandboxAddresses(sandbox.addresses)),
    }),
    sandbox,
    razorpaySandbox,
    close: async () => {
      await razorpaySandbox.close()
      await sandbox.close()
    },
  })
}

/** Airpay's adapter sees an event once for each of its accounts at Airpay, and none of other gateways. */
function selectAirpay(
  events: Pick<EventRegistry, 'all' | 'byOrderId'>,
): Pick<EventRegistry, 'all' | 'byOrderId'> {
  const ofAirpay = <Served extends { readonly config: EventConfig }>(
    served: Served,
  ): readonly Served[] =>
    served.config.payment === null
      ? [served]
      : eventsByAccount(served.config).flatMap((config) =>
          isRazorpay(config) ? [] : [config === served.config ? served : { ...served, config }],
        )
  return {
    all: () => events.all().flatMap(ofAirpay),
    byOrderId: (orderId) => {
      const served = events.byOrderId(orderId)
      return served === null ? null : (ofAirpay(served)[0] ?? null)
    },
  }
}

/** Keys of Razorpay's test mode are accepted only where payments are not real. */
function razorpayAccounts({
  gatewayMode: mode,
  razorpayAccounts: accounts = {},
}: Pick<Environment, 'gatewayMode' | 'razorpayAccounts'>): (
  name: string,
) => RazorpayAccount | null {
  if (mode === 'sandbox') return razorpaySandboxAccount
  return (name) => accounts[accountKey(name)] ?? null
}

/** The simulator of Razorpay runs at the addresses of Airpay's. */
function razorpaySandboxAddresses({ pay, status, hops }: Addresses): RazorpayAddresses {
  return {
    pay: new URL('/razorpay/v1/checkout/embedded', pay).href,
    api: new URL('/razorpay/v1/', status).href,
    hops,
  }
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

/** Returns the same for Razorpay. */
export function readServerRazorpay(environment: GatewayOptions['environment']): {
  readonly accountOf: (name: string) => RazorpayAccount | null
  readonly addresses: RazorpayAddresses | null
} {
  const { addresses } = readServerAccounts(environment)
  return {
    accountOf: razorpayAccounts(environment),
    addresses: addresses === null ? null : razorpaySandboxAddresses(addresses),
  }
}

/** Returns only the adapter, for a CLI command; in a rehearsal it queries the running server's simulator. */
export function connectToServerGateway({
  environment,
  events,
  store,
}: Pick<GatewayOptions, 'environment' | 'events' | 'store'>): GatewayAdapter {
  const { gatewayMode: mode, airpayChecksum: variant = 'A', airpayAssumed } = environment
  const { accountOf: account, addresses } = readServerAccounts(environment)
  const airpay = createAirpayGateway({
    mode,
    variant,
    events: selectAirpay(events),
    account,
    addresses,
    ...toAssumptions(airpayAssumed),
  })
  const razorpay = createRazorpayGateway({
    events,
    account: razorpayAccounts(environment),
    addresses: addresses === null ? null : razorpaySandboxAddresses(addresses),
    checkouts: store,
    returnAddress: (orderId) => `${environment.publicUrl}${ORDER_RETURN_PATH}${orderId}/`,
  })
  return combineGateways({ airpay, razorpay })
}

function toAssumptions(assumed: Environment['airpayAssumed']): Pick<AirpayOptions, 'assumed'> {
  return assumed === undefined ? {} : { assumed }
}
