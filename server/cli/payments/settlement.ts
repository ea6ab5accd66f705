/** `rollcall payment settlement`: prints a gateway's settlement as CSV, to be read like any settlement report. */
import { gatewayAccounts } from '../../../engine/index.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'
import { compileFolder, readFolder } from '../../events/files/event-folder.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { csvRows } from '../../office/spreadsheets/write-csv.ts'
import { accountKey } from '../../ops/environment.ts'
import {
  fetchSettlement,
  SETTLEMENT_HEADINGS,
  toSettlementRow,
} from '../../payments/gateways/razorpay/settlement.ts'
import { readServerRazorpay } from '../../payments/gateways/select-gateway.ts'

const TIMEOUT_MS = 120_000

const help = `Usage: rollcall payment settlement --account NAME --month YYYY-MM [--day DD]

Prints the settlements of a Razorpay account as CSV: one row for each payment, refund and adjustment, with fee, tax and
the reference of the bank transfer. Read it in the office, or with "rollcall payment reconcile EVENT FILE".

  --account NAME   the merchant account, as event files name it
  --month YYYY-MM  the month of the settlements
  --day DD         only this day

Exit status: 0 printed; 1 the gateway gave no usable response; 2 invalid usage; 3 internal error.`

export const settlementCommand: Command = {
  help,
  run: async (args, terminal) => {
    const text = { type: 'string' } as const
    const options = { account: text, month: text, day: text }
    const parsed = parseArguments(args, options, [0, 0], help, terminal)
    if (parsed === null) return 2
    const { account: name, month: period = '', day } = parsed.values
    const fail = (sentence: string, status: 1 | 2 = 2): 1 | 2 => {
      terminal.printError(sentence)
      return status
    }
    if (name === undefined) return fail('Specify the account: --account NAME.')
    const [, year = '', month = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(period) ?? []
    if (year === '') return fail('Specify the month: --month 2026-03.')
    if (day !== undefined && !/^([1-9]|0[1-9]|[12]\d|3[01])$/.test(day))
      return fail(`--day must be a day of the month, not "${day}".`)
    const environment = terminal.environment()
    if (environment === null) return 2
    const { served } = await compileFolder(await readFolder(environment.eventsDir), {
      cacheFolder: getCacheFolder(environment.dataDir),
      production: false,
    })
    const payment = served
      .flatMap(({ config }) => gatewayAccounts(config))
      .find(
        ({ account, gateway }) =>
          accountKey(account) === accountKey(name) && gateway.kind === 'razorpay',
      )
    if (payment === undefined) return fail(`No event file uses the Razorpay account "${name}".`)
    const { accountOf, addresses } = readServerRazorpay(environment)
    const account = accountOf(payment.account)
    if (account === null) return fail(`There are no credentials for the account "${name}".`)
    const report = await fetchSettlement(
      {
        address: addresses?.api ?? payment.gateway.live.status,
        account,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      {
        year: Number(year),
        month: Number(month),
        day: day === undefined ? null : Number(day),
      },
    )
    if (!report.ok) return fail(`The settlement could not be read: ${report.error}.`, 1)
    const rows = report.value.map(toSettlementRow)
    if (!rows.every((row) => row !== null))
      return fail('The settlement has a row in an unknown form, so nothing is printed.', 1)
    terminal.print(csvRows([[...SETTLEMENT_HEADINGS], ...rows.map(toCells)], true).trimEnd())
    return 0
  },
}

/** A negative amount is a number, not a formula. */
const toCells = (row: readonly string[]) =>
  row.map((cell) => (/^-?\d+\.\d\d$/.test(cell) ? { amount: Number(cell), decimals: 2 } : cell))
