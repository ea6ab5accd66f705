/** What each gateway states about itself, beside its adapter: one entry of the registry. */
import type { FastifyInstance } from 'fastify'
import { toAccountKey } from '../../../engine/index.ts'
import type { Gateway, Instant, OrderId, Result } from '../../../engine/index.ts'
import type {
  AccountVariables,
  Environment,
  EventRegistry,
  GatewayAccounts,
  GatewayAdapter,
  Log,
} from '../../dependencies.ts'
import type { CheckoutStore, Payer } from '../../storage/index.ts'
import type { SimulatorOrigins } from './simulator-port.ts'

/** Addresses of a gateway's calls: the gateway's own are in the shared gateways file, its simulator has others. */
export type GatewayAddresses = Gateway['live']
/** The events that are paid through one gateway, each once for each of its accounts there. */
export type GatewayEvents = Pick<EventRegistry, 'all' | 'byOrderId'>

export type AdapterOptions = {
  readonly environment: Pick<Environment, 'gatewayMode' | 'airpayChecksum' | 'airpayAssumed'>
  readonly events: GatewayEvents
  readonly accounts: GatewayAccounts
  /** The simulator's addresses; null to use those of the event's gateway. */
  readonly addresses: GatewayAddresses | null
  readonly checkouts: CheckoutStore
  /** Where the browser returns to after the payment of an order, if the gateway returns to an address per order. */
  readonly returnAddress: (orderId: OrderId) => string
}

/** A command that queries a gateway about one account. */
export type AccountQuery = {
  readonly environment: AdapterOptions['environment']
  readonly accounts: GatewayAccounts
  readonly account: string
  readonly addresses: GatewayAddresses
  readonly at: Instant
  readonly timeoutMs: number
}
export type CheckQuery = AccountQuery & {
  /** Null to query an order that cannot exist. */
  readonly orderId: OrderId | null
  /** Whether to repeat the query with a deliberately wrong key. */
  readonly comparesKeys: boolean
}
/** `impossible`: the gateway cannot be queried in this mode, with the reason in a sentence. */
export type ConnectionCheck =
  | {
      readonly is: 'checked'
      /** The response shows no problem. */
      readonly asExpected: boolean
      readonly sentences: readonly string[]
    }
  | { readonly is: 'no-credentials' }
  | { readonly is: 'impossible'; readonly why: string }

/** `day` null: the whole month. */
export type SettlementPeriod = {
  readonly year: number
  readonly month: number
  readonly day: number | null
}
/** Rows of a table that the settlement reader understands, headings first. */
export type SettlementRows = readonly (readonly string[])[]

export type SimulatorOptions = {
  readonly dataDir: string
  readonly events: GatewayEvents
  /** Public address of the app; a function, because a port may be known only once the app listens. */
  readonly publicUrl: () => string
  readonly clock: () => Instant
  readonly log: Log
}
/** The gateway's side of the protocol, for rehearsals and tests. */
export type GatewaySimulator = {
  /** Adds its routes to a server that then listens. */
  addRoutes(app: FastifyInstance): void
  /** The server listens. */
  start(origins: SimulatorOrigins): void
  close(): Promise<void>
}

export type GatewayDefinition<Simulator extends GatewaySimulator = GatewaySimulator> = {
  /** The media type of its responses to status queries, which are stored as received. */
  readonly statusContentType: string
  /** The headers of its webhooks, in lower case. Absent if they have no signature. */
  readonly signedWebhook?: {
    readonly signatureHeader: string
    /** The id that its repetitions share. Absent if the adapter finds it in the content. */
    readonly eventIdHeader?: string
  }
  openAdapter(options: AdapterOptions): GatewayAdapter
  /** Finds the payer in the response to a status query, or in earlier messages about the order, newest first. */
  findPayer(
    response: string,
    messages: readonly { readonly body: string; readonly contentType: string }[],
  ): Payer | null
  /** Queries it once and explains the response. No money moves. */
  checkConnection(query: CheckQuery): Promise<ConnectionCheck>
  /** Reads its settlements. Absent if it has no call for them. Null if there are no credentials. */
  fetchSettlement?(
    query: AccountQuery,
    period: SettlementPeriod,
  ): Promise<Result<SettlementRows, string>> | null
  openSimulator(options: SimulatorOptions): Simulator
  simulatorAddresses(origins: SimulatorOrigins): GatewayAddresses
}

/** Returns the credentials of an account, the same object each time: the simulator's own, or those of the environment. */
export function openAccounts<Account>(
  { environment, accounts }: Pick<AdapterOptions, 'environment' | 'accounts'>,
  {
    toAccount,
    sandboxAccount,
  }: {
    readonly toAccount: (name: string, values: AccountVariables) => Account
    readonly sandboxAccount: (name: string) => Account
  },
): (name: string) => Account | null {
  if (environment.gatewayMode === 'sandbox') return sandboxAccount
  const read = new Map(
    Object.entries(accounts).map(([name, values]) => [name, toAccount(name, values)]),
  )
  return (name) => read.get(toAccountKey(name)) ?? null
}
