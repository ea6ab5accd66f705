/** Defines the registry's entry for a gateway: its adapter and everything else that differs between gateways. */
import type { FastifyInstance } from 'fastify'
import { memoize, toAccountKey } from '../../../engine/index.ts'
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

/** The addresses of a gateway's API: the real addresses from the shared gateways file, or those of its simulator. */
export type GatewayAddresses = Gateway['live']
/** The events that use one gateway, each listed once for each of its accounts at this gateway. */
export type GatewayEvents = Pick<EventRegistry, 'all' | 'findByOrderId'>

export type AdapterOptions = {
  readonly environment: Pick<Environment, 'gatewayMode' | 'airpayChecksum' | 'airpayAssumed'>
  readonly events: GatewayEvents
  readonly accounts: GatewayAccounts
  /** The simulator's addresses; null to use those of the event's gateway. */
  readonly addresses: GatewayAddresses | null
  readonly checkouts: CheckoutStore
  /**
   * Returns the URL to which the browser returns after the payment of an order, if the gateway uses a separate return
   * URL for each order.
   */
  readonly returnAddress: (orderId: OrderId) => string
}

/** The input of a command that queries a gateway about one account. */
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
  /** True to repeat the query with a deliberately wrong key. */
  readonly shouldCompareKeys: boolean
}
/** `impossible` means that the gateway cannot be queried in this mode, with the reason in a sentence. */
export type ConnectionCheck =
  | {
      readonly is: 'checked'
      /** True if the response shows no problem. */
      readonly isAsExpected: boolean
      readonly sentences: readonly string[]
    }
  | { readonly is: 'no-credentials' }
  | { readonly is: 'impossible'; readonly why: string }

/** A day, or the whole month if `day` is null. */
export type SettlementPeriod = {
  readonly year: number
  readonly month: number
  readonly day: number | null
}
/** Rows of a table in a format that the settlement reader accepts, headings first. */
export type SettlementRows = readonly (readonly string[])[]

export type SimulatorOptions = {
  readonly dataDir: string
  readonly events: GatewayEvents
  /** Public URL of the app; a function, because a port may be known only once the app listens. */
  readonly publicUrl: () => string
  readonly clock: () => Instant
  readonly log: Log
}
/** The gateway's side of the protocol, for rehearsals and tests. */
export type GatewaySimulator = {
  /** Adds the simulator's routes to a server, before it listens. */
  addRoutes(app: FastifyInstance): void
  /** Called when the server listens. */
  start(origins: SimulatorOrigins): void
  close(): Promise<void>
}

export type GatewayDefinition<Simulator extends GatewaySimulator = GatewaySimulator> = {
  /** The media type of the gateway's responses to status queries, which are stored as received. */
  readonly statusContentType: string
  /** The headers of the gateway's webhooks, in lower case. Absent if they have no signature. */
  readonly signedWebhook?: {
    readonly signatureHeader: string
    /**
     * The header with the id that repetitions of a webhook share. Absent if the adapter finds the id in the content.
     */
    readonly eventIdHeader?: string
  }
  openAdapter(options: AdapterOptions): GatewayAdapter
  /** Finds the payer in the response to a status query, or in earlier messages about the order, newest first. */
  findPayer(
    response: string,
    messages: readonly { readonly body: string; readonly contentType: string }[],
  ): Payer | null
  /** Queries the gateway once and explains the response. No money moves. */
  checkConnection(query: CheckQuery): Promise<ConnectionCheck>
  /** Reads the gateway's settlements; null if there are no credentials. Absent if its API does not offer them. */
  fetchSettlement?(
    query: AccountQuery,
    period: SettlementPeriod,
  ): Promise<Result<SettlementRows, string>> | null
  openSimulator(options: SimulatorOptions): Simulator
  getSimulatorAddresses(origins: SimulatorOrigins): GatewayAddresses
}

/** Returns a function that finds the credentials of an account in the simulator or the environment. */
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
  const accountsByKey = new Map(
    Object.entries(accounts).map(([name, values]) => [name, toAccount(name, values)]),
  )
  return memoize((name) => accountsByKey.get(toAccountKey(name)) ?? null)
}
