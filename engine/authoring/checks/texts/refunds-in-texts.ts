/** Checks EV630 to EV632: the percentages and dates of refund scales in texts agree with `cancellation`. */
import { addDays, formatDay, type Day } from '../../../lib/time.ts'
import type { RefundTerms } from '../../../event/approval-and-cancellation-types.ts'
import { findDays, type DayWords } from '../../prose/find-days.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { collectEventTexts, type EventText } from '../../prose/event-texts.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

const REFUND_WORDS = /\b(?:refund\w*|cancel\w*|withdraw\w*)\b/i
const SHARE_PATTERN = /(?<![\d.])(\d{1,3})\s*(?:%|per ?cent\b)(?!\s*(?:gst|vat|tax))/gi
/** Words for a percentage that is kept, not refunded. */
const KEPT_WORDS =
  /\b(?:deduct\w*|retain\w*|kept|keep|forfeit\w*|charges?|charged|fee of|penalty|less)\b/i
/** Matches a percentage that is written in words. */
const SHARES_IN_WORDS =
  /\b(?:full (?:and prompt )?refund|refund(?:ed)? in full|full (?:amount|fees?) (?:is|are|will be) (?:refunded|returned)|fully refund(?:ed|able)|free cancellation|(?:half|three[- ]quarters) (?:of )?(?:the|your) (?:fees?|amount|money))\b/gi
const REFUND_PHRASES = /\b(?:refund\w*|returned|back|reimburs\w*)\b/i
const DAYS_BEFORE_EVENT =
  /\b(\d{1,3}) days? (?:before|prior to)\s+(?:the\s+)?(?:\w+\s+)?(?:event|conference|congress|meeting|meet|workshop|course|start|beginning|commencement|race|fest\w*)\b/gi
const AFTER_WORDS = /\b(?:after|from|since|beyond|later than)\s*(?:the\s+)?$/i
const BEFORE_WORDS = /\b(?:before|prior to)\s*(?:the\s+)?$/i

type Token = { readonly start: number; readonly end: number } & (
  | { readonly share: number; readonly isInWords?: boolean }
  | { readonly isDay: (day: Day) => boolean; readonly isAfter: boolean }
)
type RefundClaim = {
  readonly eventText: EventText
  readonly share: number
  readonly isInWords: boolean
  readonly clause: string
  readonly isDay: (day: Day) => boolean
  readonly start: number
  readonly end: number
}

const matchesDayWords = ({ day, month, year }: DayWords, candidate: Day): boolean =>
  Number(candidate.slice(8)) === day &&
  Number(candidate.slice(5, 7)) === month &&
  (year === null || Number(candidate.slice(0, 4)) === year)

function listTokens(model: Model, text: string): readonly Token[] {
  const { from, to } = model.config
  const shares = findMatches(text, SHARE_PATTERN).map((match) => ({
    share: Number(match[1]),
    start: match.index,
    end: match.index + match[0].length,
  }))
  const sharesInWords = findMatches(text, SHARES_IN_WORDS).map((match) => ({
    share: /half/i.test(match[0]) ? 50 : /quarters/i.test(match[0]) ? 75 : 100,
    start: match.index,
    end: match.index + match[0].length,
    isInWords: true,
  }))
  const days = findDays(text, Number(to.slice(0, 4))).map(({ start, end, last }) => {
    const left = text.slice(Math.max(0, start - 20), start)
    return {
      start,
      end,
      isAfter: AFTER_WORDS.test(left),
      // "Before 1 August" and "until 31 July" mean the same step.
      isDay: (day: Day) =>
        matchesDayWords(last, day) ||
        (BEFORE_WORDS.test(left) && matchesDayWords(last, addDays(day, 1))),
    }
  })
  const relativeDays = findMatches(text, DAYS_BEFORE_EVENT).map((match) => {
    const statedDay = addDays(from, -Number(match[1]))
    return {
      start: match.index,
      end: match.index + match[0].length,
      isAfter: false,
      isDay: (day: Day) => [statedDay, addDays(statedDay, -1)].includes(day),
    }
  })
  return [...shares, ...sharesInWords, ...days, ...relativeDays].toSorted(
    (a, b) => a.start - b.start,
  )
}

/** Returns each percentage with its date if they alternate in text. In any other order, pairs are uncertain. */
function listRefundClaims(model: Model): readonly RefundClaim[] {
  return collectEventTexts(model).flatMap((eventText) => {
    const { text, heading, path } = eventText
    if (path.startsWith('admin.') || !REFUND_WORDS.test(`${heading} ${text}`)) return []
    const allTokens = listTokens(model, text)
    const pairsInText = pairTokens(eventText, allTokens, 0, text.length)
    if (pairsInText.length > 0) return pairsInText
    // If the whole text cannot be paired, each sentence is paired separately.
    return findMatches(text, WHOLE_SENTENCE).flatMap((sentence) => {
      const [sentenceStart, sentenceEnd] = [sentence.index, sentence.index + sentence[0].length]
      return REFUND_WORDS.test(sentence[0])
        ? pairTokens(
            eventText,
            allTokens.filter(({ start, end }) => sentenceStart <= start && end <= sentenceEnd),
            sentenceStart,
            sentenceEnd,
          )
        : []
    })
  })
}

/** Matches a sentence with all its clauses. */
const WHOLE_SENTENCE = /[^.!?\n]+(?:\.\d[^.!?\n]*)*/g

/** Pairs the percentages and dates in a part of the text. Returns no pairs if they do not alternate. */
function pairTokens(
  eventText: EventText,
  tokens: readonly Token[],
  partStart: number,
  partEnd: number,
): readonly RefundClaim[] {
  const { text, heading } = eventText
  const [firstToken, secondToken] = [tokens[0], tokens[1]]
  if (firstToken === undefined || secondToken === undefined || tokens.length % 2 !== 0) return []
  const isAlternating = tokens.every(
    (token, index) => ('share' in token === 'share' in firstToken) === (index % 2 === 0),
  )
  if (!isAlternating) return []
  return tokens.flatMap((token, index): RefundClaim[] => {
    const nextToken = tokens[index + 1]
    if (index % 2 !== 0 || nextToken === undefined) return []
    const [shareToken, dayToken] = 'share' in token ? [token, nextToken] : [nextToken, token]
    if (!('share' in shareToken) || !('isDay' in dayToken) || dayToken.isAfter) return []
    const clauseStart = tokens[index - 1]?.end ?? partStart
    const clause = `${heading} ${text.slice(clauseStart, tokens[index + 2]?.start ?? partEnd)}`
    const { start, end } = { start: token.start, end: nextToken.end }
    return [
      {
        eventText,
        share: shareToken.share,
        isInWords: shareToken.isInWords === true,
        clause,
        isDay: dayToken.isDay,
        start,
        end,
      },
    ]
  })
}

/** Returns the refunded percentages that a stated percentage can mean. */
function listPossibleRefunds({ share, clause }: RefundClaim): readonly number[] {
  const [isKept, isRefunded] = [KEPT_WORDS.test(clause), REFUND_PHRASES.test(clause)]
  if (isKept && !isRefunded) return [100 - share]
  return isKept ? [share, 100 - share] : [share]
}

const textRefundDayCheck: Check = {
  slug: 'text-refund-day',
  severity: 'warning',
  why: 'Delegates who cancel insist on the refund that the text promises for that day.',
  after: ['EV481', 'EV482', 'EV483', 'EV484', 'EV1160', 'EV1162'],
  find: (model) => {
    const { cancellation, status } = model.config
    if (cancellation === null || status === 'closed') return []
    const { steps } = cancellation
    const shareDrafts = listRefundClaims(model).flatMap((claim): Draft[] => {
      const refunds = listPossibleRefunds(claim)
      const stepOfDay = steps.findIndex(({ until }) => claim.isDay(until))
      const stepOfShare = steps.findIndex(({ percent }) => refunds.includes(percent))
      const step = steps[stepOfDay] ?? steps[stepOfShare]
      // EV1162 reports percentages that no step has.
      if (step === undefined) return []
      if (stepOfDay >= 0 && refunds.includes(step.percent)) return []
      const { eventText, start, end } = claim
      const at = `cancellation.steps.${stepOfDay >= 0 ? stepOfDay : stepOfShare}`
      return [
        {
          at: eventText.path,
          span: [eventText.at + start, eventText.at + end],
          message: `the text says “${eventText.text.slice(start, end).replaceAll(/\s+/g, ' ')}”, but the refund scale refunds ${step.percent}% until ${formatDay(step.until)}`,
          related: [{ at, message: 'the step' }],
          help: 'write the same percentage and date in both places; `until` includes that day',
        },
      ]
    })
    return [
      ...shareDrafts,
      ...findWrongNoRefundDays(model, steps),
      ...findWrongCancellationDays(model, steps),
    ]
  },
}

const CANCELLATION_WORDS = /\b(?:cancel(?:l?ations?|led|ed|l?ing)?|withdraw(?:als?|n)?)\b/i
const ACCEPTED_WORDS =
  /\b(?:accepted|allowed|possible|permitted|entertained|considered|received|can|may|requests?|last (?:date|day)|deadline)\b/i
const LAST_DAY =
  /\b(?:till|until|up ?to|by|before|prior to|not later than|latest|(?:last (?:date|day)|deadline)\s+(?:for|of|to)\b[^.;!?\n]{0,30}?(?:is|:|-|–)?)\s*(?:the\s+)?$/i
const NOT_ACCEPTED_WORDS =
  /\bno (?:cancell?ations?|withdrawals?)\b|\b(?:not(?! later)|never|cannot)\b/i
/** Words for cancellations by the organisers or in special cases, and for other days, such as that of a payout. */
const OTHER_CANCELLATION_WORDS =
  /\b(?:organi[sz]ers?|(?:the|this) (?:event|conference|workshop|meeting) (?:is|was|may|can)|if|unless|except|postpon\w*|visas?|flights?|trains?|travel|abstracts?|papers?|posters?|consent|clicking|insurance|waiting list|names?|substitut\w*|transfer\w*|replac\w*|instead|paid|credited|processed|expect\w*|refunds? (?:will|can|may|are|is))\b/i

/** Reports dates for cancellations that differ from the scale: "Cancellation accepted till 15 October". */
function findWrongCancellationDays(
  model: Model,
  steps: readonly { readonly until: Day; readonly percent: number }[],
): readonly Draft[] {
  const lastRefundIndex = steps.findLastIndex(({ percent }) => percent > 0)
  const step = steps[lastRefundIndex]
  if (step === undefined) return []
  const year = Number(model.config.to.slice(0, 4))
  return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
    path.startsWith('admin.')
      ? []
      : findMatches(text, SENTENCE).flatMap((sentence): Draft[] => {
          const [words, offset] = [sentence[0], at + sentence.index]
          const statement = `${heading} ${words}`
          const days = findDays(words, year)
          const [day] = days
          if (day === undefined || days.length > 1) return []
          const isAboutDeadline =
            CANCELLATION_WORDS.test(statement) &&
            (ACCEPTED_WORDS.test(words) || NOT_ACCEPTED_WORDS.test(words)) &&
            !BILL_PART_WORDS.test(statement) &&
            !OTHER_CANCELLATION_WORDS.test(words) &&
            // The other functions check dates that come with a percentage or a denied refund.
            listTokens(model, words).every((token) => 'isDay' in token) &&
            findMatches(words, NO_REFUND_WORDS).length === 0
          if (!isAboutDeadline) return []
          const left = words.slice(0, day.start)
          const isDenied = NOT_ACCEPTED_WORDS.test(words)
          if (isDenied ? !AFTER_WORDS.test(left) : !LAST_DAY.test(left)) return []
          const isCorrect = steps.some(
            ({ until }) =>
              matchesDayWords(day.last, until) ||
              ((isDenied || BEFORE_WORDS.test(left)) &&
                matchesDayWords(day.last, addDays(until, 1))),
          )
          return isCorrect
            ? []
            : [
                {
                  at: path,
                  span: [offset + day.start, offset + day.end],
                  message: `the text says ${words.slice(day.start, day.end)} for cancellations, but the refund scale refunds ${step.percent}% until ${formatDay(step.until)}`,
                  related: [
                    { at: `cancellation.steps.${lastRefundIndex}`, message: 'the last refund' },
                  ],
                  help: 'write the same date in both places; `until` includes that day',
                },
              ]
        }),
  )
}

/** Reports dates after which nothing is refunded, if they differ from the scale: "No refund after 30 September". */
function findWrongNoRefundDays(
  model: Model,
  steps: readonly { readonly until: Day; readonly percent: number }[],
): readonly Draft[] {
  const lastStepIndex = steps.findLastIndex(({ percent }) => percent > 0)
  const until = steps[lastStepIndex]?.until
  if (until === undefined) return []
  const year = Number(model.config.to.slice(0, 4))
  return collectEventTexts(model).flatMap(({ path, text, at }) =>
    path.startsWith('admin.')
      ? []
      : findMatches(text, SENTENCE).flatMap((sentence): Draft[] => {
          const [words, offset] = [sentence[0], at + sentence.index]
          const denial = findMatches(words, NO_REFUND_WORDS)[0]
          const days = findDays(words, year)
          const [day] = days
          if (denial === undefined || day === undefined || days.length > 1) return []
          const left = words.slice(0, day.start)
          if (!AFTER_WORDS.test(left) || BILL_PART_WORDS.test(words)) return []
          const isCorrect =
            matchesDayWords(day.first, until) || matchesDayWords(day.first, addDays(until, 1))
          const start = Math.min(denial.index, day.start)
          const end = Math.max(denial.index + denial[0].length, day.end)
          return isCorrect
            ? []
            : [
                {
                  at: path,
                  span: [offset + start, offset + end],
                  message: `the text states a different final date for refunds: the refund scale refunds ${steps[lastStepIndex]?.percent ?? 0}% until ${formatDay(until)}`,
                  related: [
                    { at: `cancellation.steps.${lastStepIndex}`, message: 'the last refund' },
                  ],
                  help: 'write the same date in both places; `until` includes that day',
                },
              ]
        }),
  )
}

const NO_REFUND_WORDS =
  /\b(?:non[- ]?refundable|no (?:refunds?|money back)\b|(?:not|never|cannot|can't|won['’]t)(?: be)? (?:refunded|refundable))/gi
const LIMITING_WORDS =
  /\d|\b(?:after\w*|later|thereafter|then|otherwise|beyond|within|unless|except|if|in case|gst|tax|charges?|gateway|bank|hotels?|rooms?|dinner|workshops?|deposit|transfer\w*|spot|no[- ]?shows?|postpon\w*|that case|such|new dates|coupon|code|donation|gift|companions?|accompanying|change|partial)\b/i
/** Words for parts of a bill with separate refund terms. */
const BILL_PART_WORDS =
  /\b(?:hotels?|rooms?|dinner|workshops?|deposit|donation|gift|companions?|accompanying|stalls?|tours?)\b/i
const SENTENCE = /[^.;!?\n]+(?:\.\d[^.;!?\n]*)*/g

const textNoRefundCheck: Check = {
  slug: 'text-no-refund',
  severity: 'warning',
  why: 'Text that excludes refunds contradicts the refunds that are proposed to staff.',
  after: ['EV481', 'EV482', 'EV630', 'EV1162'],
  find: (model) => {
    const { cancellation, status } = model.config
    if (cancellation === null || status === 'closed') return []
    const terms: readonly RefundTerms[] = [...cancellation.steps, cancellation.otherwise]
    if (terms.every(({ percent }) => percent === 0)) return []
    return collectEventTexts(model).flatMap(({ path, text, at }) =>
      path.startsWith('admin.') || findMatches(text, SHARE_PATTERN).length > 0
        ? []
        : findMatches(text, SENTENCE).flatMap((sentence) =>
            LIMITING_WORDS.test(sentence[0])
              ? []
              : findMatches(sentence[0], NO_REFUND_WORDS).map((match): Draft => {
                  const start = at + sentence.index + match.index
                  return {
                    at: path,
                    span: [start, start + match[0].length],
                    message:
                      'the text excludes refunds, but the refund scale refunds part of the payment',
                    related: [
                      { at: 'cancellation.steps', part: 'key', message: 'the refund scale' },
                    ],
                    help: 'remove `cancellation` if nothing is refunded, or state the scale in the text',
                  }
                }),
          ),
    )
  },
}

const refundScaleMissingCheck: Check = {
  slug: 'refund-scale-missing',
  severity: 'note',
  why: 'Without `cancellation`, no refund is proposed to staff who cancel a registration. They must look up the refund in the text.',
  find: (model) => {
    const { cancellation, status } = model.config
    if (cancellation !== null || status === 'closed') return []
    const [firstClaim, secondClaim] = listRefundClaims(model).filter(
      ({ eventText: { text, heading } }) => REFUND_PHRASES.test(`${heading} ${text}`),
    )
    return firstClaim === undefined || secondClaim === undefined
      ? []
      : [
          {
            at: firstClaim.eventText.path,
            span: [
              firstClaim.eventText.at + firstClaim.start,
              firstClaim.eventText.at + firstClaim.end,
            ],
            message: 'the text states a refund scale, but the file has no `cancellation`',
            help: 'write the scale as cancellation: {steps: [{until: 2026-12-31, refund: 75%}, {otherwise: none}]}',
          },
        ]
  },
}

export const textRefundChecks = {
  EV630: textRefundDayCheck,
  EV631: textNoRefundCheck,
  EV632: refundScaleMissingCheck,
}
