/** Checks EV450, EV453, EV454: items in the price table can be bought and paid for. */
import { takesPayments } from '../../../payments/payment-methods.ts'
import { formatMoney, INR } from '../../../lib/money.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { computeExtremes, proveBill } from '../../proofs/bill-bounds.ts'
import { describeBill } from '../../proofs/describe-example.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { TABLE_ERRORS, listTableCells } from './fees.ts'
import { getCurrency } from '../../../rules/category.ts'

const neverOnSaleCheck: Check = {
  slug: 'never-on-sale',
  severity: 'warning',
  why: 'Delegates in a category that is never on sale cannot register.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) =>
    listPriceTables(model).flatMap(({ path, rows }) =>
      Object.entries(rows).flatMap(([category, row]): Draft[] =>
        category === 'period' || row.some((cell) => cell !== 'none')
          ? []
          : [
              {
                at: `${path}.${category}`,
                part: 'entry',
                message: `\`${category}\` is never on sale: every cell is none`,
                help: 'write an amount or `free` in at least one period, or remove the category',
              },
            ],
      ),
    ),
}

const pricesWithoutPaymentCheck: Check = {
  slug: 'prices-without-payment',
  severity: 'error',
  why: 'Without a payment method, every registration is stored as paid.',
  after: TABLE_ERRORS,
  find: (model) => {
    const { config, file } = model
    if (takesPayments(config) || config.status === 'closed') return []
    const firstPaidCell = listTableCells(model).find(({ amount }) => amount !== null && amount > 0)
    if (firstPaidCell?.amount == null) return findFreeRegistrationWithCosts(model)
    return [
      {
        at: file.payment === undefined ? 'fees.prices' : 'payment',
        part: file.payment === undefined ? 'key' : 'entry',
        message: `${file.payment === undefined ? 'without `payment`' : 'with `payment: none`'} no payment is possible, but there are prices: ${formatMoney(firstPaidCell.amount, firstPaidCell.currency)} would be stored as paid`,
        related: [{ at: firstPaidCell.at, message: 'the first price' }],
        help: 'to accept payments write payment: {gateway: airpay, account: …}; for a free event write `free` in every cell',
      },
    ]
  },
}

/** Reports items that cost money in an event in which every registration is free. */
function findFreeRegistrationWithCosts({ config, file }: Model): readonly Draft[] {
  const sellsItems = config.fees.items.length + config.fees.adjustments.length > 0
  const dearest = (sellsItems ? (proveBill(config).extremes ?? []) : [])
    .map((extremes) => extremes.mostExpensive)
    .find((bill) => bill !== null && bill.total > 0)
  if (dearest == null) return []
  return [
    {
      at: file.payment === undefined ? 'fees.prices' : 'payment',
      part: file.payment === undefined ? 'key' : 'entry',
      message: `${file.payment === undefined ? 'without `payment`' : 'with `payment: none`'} no payment is possible, but there are items: ${formatMoney(dearest.total, getCurrency(config, dearest.category))} would be stored as paid`,
      notes: [describeBill(config, dearest)],
      help: 'to accept payments write payment: {gateway: airpay, account: …}; for a free event write `free` in every cell',
    },
  ]
}

const billBelowMinimumCheck: Check = {
  slug: 'below-the-minimum',
  severity: 'warning',
  why: 'The gateway rejects payments below its minimum, so a lower bill cannot be paid online.',
  after: [...TABLE_ERRORS, 'EV454', 'EV466', 'EV1102'],
  find: (model) => {
    const { config } = model
    if (config.payment === null) return []
    const { minimum } = config.payment.gateway
    const smallest = computeExtremes(config, INR)?.smallest
    if (smallest == null || smallest.total >= minimum) return []
    return [
      {
        at: 'fees.prices',
        part: 'key',
        message: `a bill of ${formatMoney(smallest.total, INR)} is possible; the gateway accepts ${formatMoney(minimum, INR)} or more`,
        notes: [describeBill(config, smallest)],
        help: `write prices so that every bill is free or at least ${formatMoney(minimum, INR)}; an amount that delegates enter needs \`min\``,
      },
    ]
  },
}

export const itemChecks = {
  EV450: billBelowMinimumCheck,
  EV453: neverOnSaleCheck,
  EV454: pricesWithoutPaymentCheck,
} satisfies Checks
