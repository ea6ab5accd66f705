/** Selects the gateways from the environment: our simulators, or the gateways themselves. */
import type { Environment, EventRegistry, Gateways, Log } from '../../dependencies.ts'
import { err, listEventsByAccount, getGatewayKind, ok } from '../../../engine/index.ts'
import type { EventConfig, Gateway, GatewayKind, Instant, Result } from '../../../engine/index.ts'
import type { CheckoutStore } from '../../storage/index.ts'
import { explainListenError } from '../../ops/listen-errors.ts'
import { combineGateways } from './combine-gateways.ts'
import type {
  AccountQuery,
  GatewayAddresses,
  GatewayEvents,
  GatewaySimulator,
} from './gateway-definition.ts'
import { ORDER_RETURN_PATH } from './message-paths.ts'
import { GATEWAY_KINDS, GATEWAYS, getGatewayDefinition } from './registry.ts'
import type { Simulators } from './registry.ts'
import { openSimulatorPort, getSimulatorOrigins } from './simulator-port.ts'
import type { SimulatorOrigins, SimulatorPort } from './simulator-port.ts'

/** The simulators, with the origins of their port. */
export type OpenSimulators = {
  readonly byKind: Simulators
  readonly origins: SimulatorOrigins
  close(): Promise<void>
}
export type OpenGateway = {
  readonly gateway: Gateways
  /** Null unless the gateways are our own simulators. */
  readonly simulators: OpenSimulators | null
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
  readonly events: GatewayEvents
  readonly store: CheckoutStore
  readonly clock: () => Instant
  readonly log: Log
  /** Public URL of the app; a function, because a port may be known only once the app listens. */
  readonly publicUrl?: () => string
}

/** Opens the gateways. Returns a message for the operator if the simulators' port cannot be opened. */
export async function openGateway(options: GatewayOptions): Promise<Result<OpenGateway, string>> {
  const { environment } = options
  if (environment.gatewayMode !== 'sandbox')
    return ok({ gateway: openAdapters(options, null), simulators: null, close: async () => {} })
  const simulators = await openSimulators(options).catch((error: unknown) => {
    const problem = explainListenError(error, {
      variable: 'SANDBOX_PORT',
      port: environment.sandboxPort,
      host: environment.host,
    })
    if (problem === null) throw error
    return problem
  })
  if (typeof simulators === 'string') return err(simulators)
  const gateway = openAdapters(options, simulators.origins)
  return ok({ gateway, simulators, close: simulators.close })
}

async function openSimulators(options: GatewayOptions): Promise<OpenSimulators> {
  const { environment, events, clock, log, publicUrl = () => environment.publicUrl } = options
  const openSimulator = <Kind extends GatewayKind>(kind: Kind): Simulators[Kind] =>
    GATEWAYS[kind].openSimulator({
      dataDir: environment.dataDir,
      events: selectEvents(kind, events),
      publicUrl,
      clock,
      log,
    }) as Simulators[Kind]
  const simulators = mapGatewayKinds(openSimulator) as Simulators
  const allSimulators: readonly GatewaySimulator[] = Object.values(simulators)
  const port = await openSimulatorPort({
    ...environment,
    port: environment.sandboxPort,
    addRoutes: (app) => {
      for (const simulator of allSimulators) simulator.addRoutes(app)
    },
  })
  for (const simulator of allSimulators) simulator.start(port.origins)
  return {
    byKind: simulators,
    origins: port.origins,
    close: () => closeSimulators(allSimulators, port),
  }
}

async function closeSimulators(
  simulators: readonly GatewaySimulator[],
  port: SimulatorPort,
): Promise<void> {
  for (const simulator of simulators) await simulator.close()
  await port.close()
}

/** Opens the adapters. `simulatorOrigins`: the simulators' addresses; null for the gateways themselves. */
function openAdapters(
  {
    environment,
    events,
    store,
    publicUrl = () => environment.publicUrl,
  }: Omit<GatewayOptions, 'clock' | 'log'>,
  simulatorOrigins: SimulatorOrigins | null,
): Gateways {
  return combineGateways(
    mapGatewayKinds((kind) =>
      getGatewayDefinition(kind).openAdapter({
        environment,
        events: selectEvents(kind, events),
        accounts: environment.accounts[kind] ?? {},
        addresses:
          simulatorOrigins === null
            ? null
            : getGatewayDefinition(kind).getSimulatorAddresses(simulatorOrigins),
        checkouts: store,
        returnAddress: (orderId) => `${publicUrl()}${ORDER_RETURN_PATH}${orderId}/`,
      }),
    ),
  )
}

const mapGatewayKinds = <Value>(
  map: (kind: GatewayKind) => Value,
): Readonly<Record<GatewayKind, Value>> =>
  Object.fromEntries(GATEWAY_KINDS.map((kind) => [kind, map(kind)])) as Record<GatewayKind, Value>

/** Returns the events of one gateway, each once for each of its accounts at this gateway. */
function selectEvents(
  kind: GatewayKind,
  events: Pick<EventRegistry, 'all' | 'findByOrderId'>,
): GatewayEvents {
  const toGatewayEvents = <Served extends { readonly config: EventConfig }>(
    served: Served,
  ): readonly Served[] =>
    listEventsByAccount(served.config).flatMap((config) =>
      config.payment === null || getGatewayKind(config.payment.gateway) !== kind
        ? []
        : [config === served.config ? served : { ...served, config }],
    )
  return {
    all: () => events.all().flatMap(toGatewayEvents),
    findByOrderId: (orderId) => {
      const served = events.findByOrderId(orderId)
      return served === null ? null : (toGatewayEvents(served)[0] ?? null)
    },
  }
}

/** Returns the simulators of the running server; null if the gateways themselves are used. */
const getRunningSimulators = ({
  gatewayMode: mode,
  publicUrl,
  host,
  sandboxPort: port,
}: GatewayOptions['environment']): SimulatorOrigins | null =>
  mode === 'sandbox' ? getSimulatorOrigins({ publicUrl, host, port }) : null

/** Returns only the adapters, for a CLI command. In a rehearsal, they query the running server's simulators. */
export const connectToServerGateway = (
  options: Pick<GatewayOptions, 'environment' | 'events' | 'store'>,
): Gateways => openAdapters(options, getRunningSimulators(options.environment))

/** Returns the addresses and accounts with which a CLI command queries a gateway about an account. */
export function connectToAccount(
  environment: GatewayOptions['environment'],
  gateway: Gateway,
  account: string,
): Pick<AccountQuery, 'environment' | 'accounts' | 'account' | 'addresses'> {
  const kind = getGatewayKind(gateway)
  const simulators = getRunningSimulators(environment)
  const addresses: GatewayAddresses =
    simulators === null
      ? gateway.live
      : getGatewayDefinition(kind).getSimulatorAddresses(simulators)
  return { environment, accounts: environment.accounts[kind] ?? {}, account, addresses }
}
