/** `rollcall payment check-gateway`: queries the gateway once and explains the response. */
import {
  assertNever,
  listGatewayAccounts,
  getGatewayKind,
  toAccountKey,
} from '../../../engine/index.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'
import { compileFolder, readFolder } from '../../events/files/event-folder.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { listAccountVariables } from '../../ops/gateway-accounts.ts'
import { createClock } from '../../ops/clock.ts'
import { getGatewayDefinition } from '../../payments/gateways/registry.ts'
import { connectToAccount } from '../../payments/gateways/select-gateway.ts'
import { formatList } from '../../../engine/authoring.ts'
import type { OrderId } from '../../../engine/index.ts'

/** Long enough to distinguish a slow gateway from a failing one. */
const QUERY_TIMEOUT_MS = 30_000

const help = `Usage: rollcall payment check-gateway --account NAME [--gateway NAME] [--order ID] [--compare]

Sends a status query for an order that cannot exist, with the credentials of a merchant account, and explains the
response: whether the gateway was reached, whether it accepted the credentials, and the format of its response. No
money moves, and nothing is stored.

  --account NAME   the merchant account, as written in event files (payment.account)
  --gateway NAME   its gateway, if accounts at several gateways have this name
  --order ID       query this order instead, and show how Rollcall interprets the response: for the test payment
                   of one rupee (see the gateway's page in docs/)
  --compare        send a second query with a wrong key, to check that the gateway rejects it

Run it where the server will run, with its variables and GATEWAY_MODE=live. With GATEWAY_MODE=sandbox it queries
the simulator of the running server.

Exit status: 0 as expected; 1 a problem, or an inconclusive check; 2 invalid usage; 3 internal error.`

export const checkGatewayCommand: Command = {
  help,
  run: async (args, terminal) => {
    const stringOption = { type: 'string' } as const
    const parsed = parseArguments(
      args,
      {
        account: stringOption,
        gateway: stringOption,
        order: stringOption,
        compare: { type: 'boolean' },
      },
      [0, 0],
      help,
      terminal,
    )
    if (parsed === null) return 2
    const {
      account: name,
      gateway: gatewayName,
      order,
      compare: isComparing = false,
    } = parsed.values
    const failUsage = (sentence: string): 2 => {
      terminal.printError(sentence)
      return 2
    }
    if (name === undefined) return failUsage('Specify the account: --account NAME.')
    if (order !== undefined && !/^[A-Za-z0-9]{1,25}$/.test(order))
      return failUsage(`--order must be letters and digits, not "${order}".`)
    const environment = terminal.environment()
    if (environment === null) return 2
    const { served } = await compileFolder(await readFolder(environment.eventsDir), {
      cacheFolder: getCacheFolder(environment.dataDir),
      production: false,
    })
    const gatewayAccounts = served.flatMap(({ config }) => listGatewayAccounts(config))
    const matchingAccounts = gatewayAccounts.filter(
      ({ account, gateway }) =>
        toAccountKey(account) === toAccountKey(name) &&
        (gatewayName === undefined || gateway.name === gatewayName),
    )
    const [gatewayAccount] = matchingAccounts
    if (gatewayAccount === undefined) {
      const accountNames = [...new Set(gatewayAccounts.map(({ account }) => account))]
      return failUsage(
        `No event file uses the account "${name}"${gatewayName === undefined ? '' : ` at the gateway "${gatewayName}"`}.${accountNames.length === 0 ? '' : ` Accounts in use: ${formatList(accountNames)}.`}`,
      )
    }
    const { gateway, account } = gatewayAccount
    const otherGateways = new Set(matchingAccounts.map(({ gateway: other }) => other.name))
    otherGateways.delete(gateway.name)
    if (otherGateways.size > 0)
      terminal.print(
        `This checks the account at ${gateway.name}. For the account with the same name at ${formatList([...otherGateways])}, specify --gateway.`,
      )
    const kind = getGatewayKind(gateway)
    const result = await getGatewayDefinition(kind).checkConnection({
      ...connectToAccount(environment, gateway, account),
      orderId: order === undefined ? null : (order as OrderId),
      shouldCompareKeys: isComparing,
      at: createClock(environment.clockStart)(),
      timeoutMs: QUERY_TIMEOUT_MS,
    })
    switch (result.is) {
      case 'impossible':
        return failUsage(result.why)
      case 'no-credentials':
        return failUsage(
          `There are no credentials for the account "${name}": set ${formatList(listAccountVariables(kind, account))}.`,
        )
      case 'checked':
        terminal.print(result.sentences.join('\n'))
        terminal.print(result.isAsExpected ? 'The check passed.' : 'The check failed: see above.')
        return result.isAsExpected ? 0 : 1
      default:
        return assertNever(result)
    }
  },
}
