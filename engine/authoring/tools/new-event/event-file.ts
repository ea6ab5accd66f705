/** Writes the first event file of a new conference, with comments for beginners. */
import {
  formatCurrency,
  INR,
  formatPlainAmount,
  getDecimals,
  toAmount,
  type Currency,
  type Amount,
  type Tax,
} from '../../../lib/money.ts'
import { splitPrice } from '../../../pricing/line-tax-and-rounding.ts'
import { formatDay, getWeekday, type Day } from '../../../lib/time.ts'
import { formatIdAsWords } from '../../../event/placeholders-and-answer-texts.ts'
import { createPaymentSections } from './sections/payment.ts'
import { formatAcceptedFindings } from './sections/accepted-findings.ts'
import { formatAfterRegistration } from './sections/after-registration.ts'
import { formatRegistrationWindow } from './sections/registration-window.ts'
import { listCategoryRemarks } from './category-remarks.ts'
import { chooseEventDays, expandPrices } from './price-periods.ts'
import type { SampleOptions } from './sample-options.ts'
import { formatItemSections } from './items.ts'
import { appendComment, deriveId, quoteYaml } from './yaml-text.ts'

const GST_PERCENT = 18
const PLACEHOLDER_COMMENT = `# Placeholder values. While this list has entries, the form shows
# "Demo values", and a production server rejects the file. Remove a line when its value is final.`
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function createSampleTax({
  free,
  currency = INR,
  tax = 'on top',
  taxRate,
}: SampleOptions): Tax | null {
  const isInRupees = currency === INR
  const rate = taxRate ?? (isInRupees ? { name: 'GST', percent: GST_PERCENT } : null)
  if (free === true || tax === 'none' || rate === null) return null
  return tax === 'inside'
    ? { ...rate, prices: 'inclusive', round: isInRupees ? 'rupee' : 'paise' }
    : { ...rate, prices: 'exclusive', round: 'paise' }
}

/** Returns placeholder prices: thousands in rupees, hundreds in any other currency. */
const createSamplePrices =
  (currency: Currency) =>
  (times: number): Amount =>
    (times * (currency === INR ? 1000 : 100) * 10 ** getDecimals(currency)) as Amount

/** Writes the whole file. The file compiles, and its only finding is the note about placeholders. */
export function createEventFile(options: SampleOptions): string {
  const { id, prefix, currency = INR } = options
  const days = chooseEventDays(options)
  const { from, to, periods, gaps, window } = days
  const title = options.title ?? formatIdAsWords(id.replace(/(\d+)$/, ' $1'))
  const isFree = options.free === true
  const tax = createSampleTax(options)
  const paymentSections = createPaymentSections(options, days)
  const getSamplePrice = createSamplePrices(currency)
  const categories = (
    options.categories ?? [
      { label: 'Member', prices: [getSamplePrice(4), getSamplePrice(5)] },
      { label: 'Non-member', prices: [getSamplePrice(5), getSamplePrice(6)] },
    ]
  ).map((category, index, all) => ({
    ...category,
    prices: isFree ? [toAmount(0)] : expandPrices(category.prices, periods.length),
    id: deriveId(
      category.label,
      index,
      all.map(({ label }) => label),
      'category',
    ),
  }))
  const remarks = isFree ? [] : listCategoryRemarks(categories)
  const [first] = categories
  const demoLines = [
    ...(options.title === undefined ? [['event.title', '']] : []),
    ...(options.from === undefined ? [['event.from', '']] : []),
    ...(options.to === undefined
      ? [['event.to', options.from === undefined ? '' : 'one day, because no last day was given']]
      : []),
    ...(options.venue === undefined ? [['event.venue', '']] : []),
    ...(options.support === undefined ? [['event.support', '']] : []),
    ...(options.colour === undefined ? [['look', 'the colour of the pages']] : []),
    ...(options.categories === undefined ? [['categories', '']] : []),
    ...(options.categories === undefined && !isFree ? [['fees.prices', '']] : []),
    ...(options.tax === undefined && tax !== null
      ? [['fees.tax', 'GST on top of the prices']]
      : []),
    ...((options.periodEnds?.length ?? 0) < periods.length - 1 ? [['fees.periods', '']] : []),
    ...paymentSections.demo,
    ...(isFree || options.refund !== undefined ? [] : [['cancellation', 'what is refunded']]),
    ...(options.editUntil === undefined ? [['edit', 'what delegates can change']] : []),
  ].map(([path = '', about = '']) =>
    about === '' ? `  - ${path}` : `${`  - ${path}`.padEnd(34)}# ${about}`,
  )
  const width =
    Math.max('period:'.length, ...categories.map((category) => category.id.length + 1)) + 1
  const formatRow = (name: string, cells: readonly string[]): string =>
    `    ${`${name}:`.padEnd(width)}[${cells.join(', ')}]`
  const formatNumber = (amount: Amount): string =>
    formatPlainAmount(amount, currency).replace(/\.0+$/, '')
  const formatCell = (price: Amount | null): string =>
    price === null ? 'none' : price === 0 ? 'free' : formatNumber(price)
  const exampleLines = categories.flatMap((category) =>
    periods.flatMap((period, column) => {
      const price = category.prices[column]
      if (price == null) return []
      const { base, gst, total } = splitPrice(tax, price)
      const givenText = category === first ? '' : `\n      given: {registering_as: ${category.id}}`
      const amounts =
        tax === null
          ? `total: ${formatNumber(total)}`
          : `base: ${formatNumber(base)}, gst: ${formatNumber(gst)}, total: ${formatNumber(total)}`
      const when = periods.length === 1 ? 'the last day' : period.label
      return `    - name: ${quoteYaml(`${when}, ${category.label}`)}\n      on: ${column === 0 ? period.to : period.from}${givenText}\n      expect: {period: ${period.id}, category: ${category.id}, ${amounts}}`
    }),
  )
  const periodLines = [
    '  periods:                              # both dates are included',
    ...periods.map(
      ({ id: periodId, label, from: firstDay, to: lastDay }) =>
        `    - {id: ${periodId}, label: ${quoteYaml(label, true)}, ${firstDay === null ? '' : `from: ${firstDay}, `}to: ${lastDay}}`,
    ),
  ]
  const itemSections = formatItemSections(options, tax, periods, categories)
  const closes = paymentSections.closes ?? window.closes
  const allow = formatAcceptedFindings(gaps, [
    ...categories.map((row) => ({ at: `fees.prices.${row.id}`, prices: row.prices })),
    ...itemSections.rows,
  ])
  const amounts = isFree ? ['total'] : tax === null ? ['total'] : ['base', 'gst', 'total']
  return `# yaml-language-server: $schema=../schemas/event.schema.json
#
# ${title}. This file describes the whole conference. Read it from top to bottom, change what does
# not apply, and check it with:  rollcall validate events/${id}.yaml

format: 1

${demoLines.length === 0 ? '' : `${PLACEHOLDER_COMMENT}\ndemo:\n${demoLines.join('\n')}\n\n`}# ── The event ───────────────────────────────────────────────────────────────────

event:
${appendComment(`  id: ${id}`, 'also the name of this file')}
  title: ${quoteYaml(title)}
${appendComment(`  from: ${from}`, `${formatWeekday(from)}, ${formatDay(from)}; dates are in Indian time`)}
${appendComment(`  to: ${to}`, `${formatWeekday(to)}, ${formatDay(to)}`)}
  venue: ${quoteYaml(options.venue ?? 'Town Hall, Kochi')}
${appendComment('  status: open', closes === null ? 'registration closes after the last day; closed: immediately' : 'closed: registration closes immediately')}
  support: ${quoteYaml(options.support ?? `support@${id}.example`)}

look:
  colour: "${options.colour ?? '#2F5D8A'}"
${formatRegistrationWindow(options.opens, window, paymentSections.closes)
  .map((line) => `${line}\n`)
  .join('')}
routes:                                 # the addresses of the pages
  form: /${id}
  success: /${id}/success
  failed: /${id}/failed

# ── What it costs ───────────────────────────────────────────────────────────────
${currency === INR ? '' : `\n${appendComment(`currency: ${currency}`, 'of every amount in this file')}\n`}
categories:                             # groups of delegates with different prices
${categories.map((category) => `  - {id: ${category.id}, label: ${quoteYaml(category.label, true)}}`).join('\n')}
${remarks.map((remark) => `\n# Not checked by this file: ${remark}`).join('')}

# Here the delegate chooses the category in the form. Rules can derive it from the answers instead:
#   category:
#     rules:
#       - {when: {is_member: true}, then: ${first?.id ?? 'member'}}
#       - {otherwise: ${categories.at(-1)?.id ?? 'non-member'}}
category: {chosen_in: registering_as}

fees:
${[...formatFees(tax, isFree, currency), ...periodLines].join('\n')}
  prices:                               # ${isFree ? 'free of charge' : `${formatCurrency(currency)}, or free, or none: not on sale in that period; the first row names the columns`}
${[
  formatRow(
    'period',
    periods.map((period) => period.id),
  ),
  ...categories.map((category) => formatRow(category.id, category.prices.map(formatCell))),
  ...itemSections.items,
].join('\n')}
${itemSections.quotas.join('\n')}
# ── The form ────────────────────────────────────────────────────────────────────

form:
  sections:
    - title: Your details
      fields:                           # required: the message for a missing answer
        - {id: full_name, label: Full Name, required: Please give your name}
        - {id: email, type: email, label: Email, required: Please give your email address}
        - {id: phone_number, type: phone, label: Phone Number, required: Please give your phone number}
        - {id: institution, label: Institution}
        - id: registering_as
          type: select
          as: radio
          label: I register as
          options: categories           # the list above
          required: Please choose one

    - title: At the conference
      fields:
        - {id: food_preference, type: select, label: Food Preference, options: food-preferences}
        - {id: presents_paper, type: yes-no, as: switch, label: I present a paper, default: false}
        - id: paper_title               # shown to those who present one
          label: Title of the paper
          show_when: {presents_paper: true}
          required: Please give the title of your paper
${itemSections.fields.join('\n')}
  summary:
    lines: [category, ${amounts.join(', ')}]

  notices: snackbar

# ── Payment ─────────────────────────────────────────────────────────────────────

order_id:                               # a registration number: ${prefix} and thirteen digits
  prefix: ${prefix}
  followed_by: digits

${paymentSections.payment}

# ── After payment ───────────────────────────────────────────────────────────────

results:
  success:
    title: Registration Confirmed
    details: [reg_no, full_name, email, category, ${isFree ? 'created_at' : `${itemSections.isBilled ? 'lines, ' : ''}total, payment_date`}]
    notes:
      - Please keep your registration number
    buttons:
      - {label: Download Receipt, do: receipt}
      - {label: Print, do: print}

  failed:${isFree ? '                               # not used while the event is free' : ''}
    title: Payment Failed
    details: [order_id, amount, date]
    notes:
      - Your registration is not confirmed; you can try again
    buttons:
      - {label: Try Again, go: /${id}}
      - {label: Contact Support, mail: ${quoteYaml(`${title} – payment failed for order {order_id}`, true)}}

  receipt:
    file: "{reg_no}.txt"
    text: |
      {event.title} – receipt

      Registration number: {reg_no}
      Name: {full_name}
      Category: {category}
${itemSections.isBilled ? '      {lines}\n' : ''}${isFree ? '      Registered on: {created_at}' : `      Total: {total}${tax === null ? '' : `, of this ${tax.name} {gst}`}\n      Paid on: {payment_date}`}

# ── The email ──────────────────────────────────────────────────────────────────

email:
  subject: "{event.title} – registration {reg_no}"
  text: |
    Dear {full_name},

    Thank you for registering for {event.title}, {event.dates}, {event.venue}.

    Registration number: {reg_no}
    Category: {category}
${itemSections.isBilled ? '    {lines}\n' : ''}${isFree ? '' : '    Amount: {total}\n'}
${formatAfterRegistration(from, options)}
# The office needs no settings: by default it lists every field at /admin/${id}.

${allow.map((line) => `${line}\n`).join('')}# ── Worked examples (run by \`rollcall validate\`) ────────────────────────────────
# What should these people pay? When a price or a date above changes, change it here too:
# two places that agree are rarely both wrong.

examples:
  delegate:                             # answers that every case starts with
    full_name: Asha Nair
    email: asha@example.org
    phone_number: "9876543210"
    registering_as: ${first?.id ?? 'member'}
  cases:
${[...exampleLines, ...itemSections.cases].join('\n')}
    - name: a paper needs its title
      on: ${periods[0]?.to ?? to}
      given: {presents_paper: true}
      expect: {shows: [paper_title], errors: {paper_title: Please give the title of your paper}}
`
}

/** Writes the lines about tax: included in the prices, or added to them. */
function formatFees(tax: Tax | null, isFree: boolean, currency: Currency): readonly string[] {
  if (tax !== null)
    return [
      `  tax: {name: ${quoteYaml(tax.name, true)}, percent: ${tax.percent}, prices: ${tax.prices}${tax.round === 'rupee' ? ', round: rupee' : ''}}    # ${tax.prices === 'exclusive' ? 'added to' : 'inside'} the prices below`,
    ]
  return isFree
    ? []
    : [
        currency === INR
          ? `  # No tax is charged. To add a tax to the prices, write  tax: {name: GST, percent: ${GST_PERCENT}, prices: exclusive}`
          : '  # No tax is charged. If the prices include a tax, write  tax: {name: VAT, percent: 19, prices: inclusive}',
      ]
}

const formatWeekday = (day: Day): string => WEEKDAYS[getWeekday(day)] ?? ''
