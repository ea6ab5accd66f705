/**
 * `rollcall payment settlement`: prints a gateway's settlements as CSV, which can be uploaded like any settlement
 * report.
 */
import {
  GATEWAY_CAPABILITIES,
  listGatewayAccounts,
  getGatewayKind,
  toAccountKey,
} from '../../../engine/index.ts'
import type { Gateway } from '../../../engine/index.ts'
import { formatList } from '../../../engine/authoring.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'
import { compileFolder, readFolder } from '../../events/files/event-folder.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { formatCsvRows } from '../../office/spreadsheets/write-csv.ts'
import { createClock } from '../../ops/clock.ts'
import type { GatewayDefinition } from '../../payments/gateways/gateway-definition.ts'
import { GATEWAY_KINDS, getGatewayDefinition } from '../../payments/gateways/registry.ts'
import { connectToAccount } from '../../payments/gateways/select-gateway.ts'

const TIMEOUT_MS = 120_000
const REPORTING_GATEWAYS = GATEWAY_KINDS.filter(
  (kind) => getGatewayDefinition(kind).fetchSettlement !== undefined,
).map((kind) => GATEWAY_CAPABILITIES[kind].label)
const getDefinition = (gateway: Gateway): GatewayDefinition =>
  getGatewayDefinition(getGatewayKind(gateway))

const help = `Usage: rollcall payment settlement --account NAME [--gateway NAME] --month YYYY-MM [--day DD]

Prints the settlements of a ${formatList(REPORTING_GATEWAYS)} account as CSV: one row for each payment, refund and
adjustment, with fee, tax and the reference of the bank transfer. Upload it in the office, or with
"rollcall payment reconcile EVENT FILE".

  --account NAME   the merchant account, as written in event files
  --gateway NAME   its gateway, if accounts at several gateways have this name
  --month YYYY-MM  the month of the settlements
  --day DD         only this day

Exit status: 0 printed; 1 the gateway gave no usable response; 2 invalid usage; 3 internal error.`

export const settlementCommand: Command = {
  help,
  run: async (args, terminal) => {
    const stringOption = { type: 'string' } as const
    const options = {
      account: stringOption,
      gateway: stringOption,
      month: stringOption,
      day: stringOption,
    }
    const parsed = parseArguments(args, options, [0, 0], help, terminal)
    if (parsed === null) return 2
    const { account: name, gateway: gatewayName, month: monthText = '', day } = parsed.values
    const printFailure = (sentence: string, status: 1 | 2 = 2): 1 | 2 => {
      terminal.printError(sentence)
      return status
    }
    if (name === undefined) return printFailure('Specify the account: --account NAME.')
    const [, year = '', month = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(monthText) ?? []
    if (year === '') return printFailure('Specify the month: --month 2026-03.')
    if (day !== undefined && !/^([1-9]|0[1-9]|[12]\d|3[01])$/.test(day))
      return printFailure(`--day must be a day of the month, not "${day}".`)
    const environment = terminal.environment()
    if (environment === null) return 2
    const { served } = await compileFolder(await readFolder(environment.eventsDir), {
      cacheFolder: getCacheFolder(environment.dataDir),
      production: false,
    })
    const accounts = served
      .flatMap(({ config }) => listGatewayAccounts(config))
      .filter(
        ({ account, gateway }) =>
          toAccountKey(account) === toAccountKey(name) &&
          (gatewayName === undefined || gateway.name === gatewayName),
      )
    const gatewayAccount = accounts.find(({ gateway }) => getDefinition(gateway).fetchSettlement)
    if (gatewayAccount === undefined)
      return printFailure(
        `No event file uses the account "${name}" at a gateway that returns settlements (${formatList(REPORTING_GATEWAYS)}).`,
      )
    const { gateway } = gatewayAccount
    const at = createClock(environment.clockStart)()
    const query = {
      ...connectToAccount(environment, gateway, gatewayAccount.account),
      at,
      timeoutMs: TIMEOUT_MS,
    }
    const report = await getDefinition(gateway).fetchSettlement?.(query, {
      year: Number(year),
      month: Number(month),
      day: day === undefined ? null : Number(day),
    })
    if (report == null) return printFailure(`There are no credentials for the account "${name}".`)
    if (!report.ok) return printFailure(`The settlement could not be read: ${report.error}.`, 1)
    terminal.print(formatCsvRows(report.value.map(toCells), true).trimEnd())
    return 0
  },
}

/** Converts a row to CSV cells. A negative amount is a number, not a formula. */
const toCells = (row: readonly string[]) =>
  row.map((cell) => (/^-?\d+\.\d\d$/.test(cell) ? { amount: Number(cell), decimals: 2 } : cell))
