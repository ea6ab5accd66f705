/** Checks EV645, EV649, EV650, EV653: missing bank details and numbers, gaps in texts, and swapped titles. */
import { findBankNumbers } from '../../../payments/payment-methods.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'

const transferWithoutAccountCheck: Check = {
  slug: 'transfer-without-account',
  severity: 'warning',
  why: 'A delegate who chooses this method does not know where to send the money.',
  after: ['EV446', 'EV1103'],
  find: ({ config }) =>
    config.methods.flatMap((method, index): Draft[] => {
      if (method.is !== 'transfer') return []
      const labels = new Set<string>(findBankNumbers(method.instructions).map(({ label }) => label))
      return ['UPI ID', 'Account'].some((label) => labels.has(label)) ||
        /\bIBAN\b/.test(method.instructions)
        ? []
        : [
            {
              at: `payment.methods.${index}.instructions`,
              message: 'the instructions contain no account number, IBAN or UPI ID',
              help: 'write the name of the account, its number and IFSC, or a UPI ID: Sample Society, account 50200012345678, IFSC SMPL0000032',
            },
          ]
    }),
}

const PLACEHOLDER_PATTERN = /\{([a-z_][a-z0-9_]*)\}/g

const placeholderOftenEmptyCheck: Check = {
  slug: 'placeholder-often-empty',
  severity: 'note',
  why: 'Delegates who are not asked the question would read a sentence with a gap.',
  after: ['EV208', 'EV209'],
  find: ({ config, fields, displayedTexts }) => {
    const reasonsByField = new Map(
      fields.flatMap(({ id, field }) => {
        const isConditional =
          field.showWhen !== undefined || config.sections[field.section]?.showWhen !== undefined
        return isConditional || field.type === 'file'
          ? [
              [
                id,
                field.type === 'file' ? 'a file' : 'a question that is not asked of every delegate',
              ],
            ]
          : []
      }),
    )
    return displayedTexts
      .filter(({ path }) => /^email\.|^results\.success\.(?:title|intro|notes)/.test(path))
      .flatMap(({ path, written, at }) =>
        findMatches(written, PLACEHOLDER_PATTERN).flatMap((match): Draft[] => {
          const reason = reasonsByField.get(match[1] ?? '')
          return reason === undefined
            ? []
            : [
                {
                  at: path,
                  span: [at + match.index, at + match.index + match[0].length],
                  message: `\`${match[0]}\` is ${reason}: for other delegates, nothing is printed`,
                  help: 'use a row of `details` with `when`, or remove the placeholder',
                },
              ]
        }),
      )
  },
}

const emailWithoutNumberCheck: Check = {
  slug: 'email-without-number',
  severity: 'warning',
  why: 'Delegates need the registration number at the front desk and when they write to the organisers.',
  after: ['EV208', 'EV209'],
  find: ({ file }) =>
    file.email === undefined || /\{reg_no\}/.test(`${file.email.subject} ${file.email.text}`)
      ? []
      : [
          {
            at: 'email.text',
            message: 'the email does not contain the registration number',
            help: 'add {reg_no} to the subject or the text',
          },
        ],
}

const FAILURE_WORDS =
  /\b(?:fail\w*|not completed?|not paid|unsuccessful\w*|declined|sorry|could not|cancelled|unpaid|not registered)\b/i
const SUCCESS_WORDS =
  /\b(?:thank you|thanks|success(?:ful(?:ly)?)?|confirmed|you are registered|congratulations|welcome|see you)\b/i

const resultPagesSwappedCheck: Check = {
  slug: 'result-pages-swapped',
  severity: 'error',
  why: 'Delegates who have paid read that the payment failed, and pay again.',
  find: ({ file: { results, routes } }: Pick<Model, 'file'>) => {
    const isFailure = (text: string): boolean =>
      FAILURE_WORDS.test(text) && !SUCCESS_WORDS.test(text)
    const isSuccess = (text: string): boolean =>
      SUCCESS_WORDS.test(text) && !FAILURE_WORDS.test(text)
    const [isSuccessPageWrong, isFailedPageWrong] = [
      isFailure(results.success.title),
      isSuccess(results.failed.title),
    ]
    return [
      ...(isSuccessPageWrong && isFailedPageWrong
        ? [
            {
              at: 'results.success.title',
              message: 'the titles of `success` and `failed` are swapped',
              related: [{ at: 'results.failed.title', message: 'the other title' }],
              help: 'swap the two titles',
            },
          ]
        : isSuccessPageWrong
          ? [
              {
                at: 'results.success.title',
                message: `delegates who have paid read “${results.success.title}”`,
                help: 'write a title such as You Are Registered',
              },
            ]
          : isFailedPageWrong
            ? [
                {
                  at: 'results.failed.title',
                  message: `delegates whose payment failed read “${results.failed.title}”`,
                  help: 'write a title such as Payment Not Completed',
                },
              ]
            : []),
      ...findSwappedAddresses(routes),
    ]
  },
}

const FAILURE_ADDRESS = /fail|error|declin|cancel|sorry|unpaid|unsuccess|\bnot?-/i
const SUCCESS_ADDRESS = /success|thank|confirm|registered|enrol|entered|\bpaid\b|\bdone\b/i

/** Reports addresses of result pages whose last part refers to the other page. */
function findSwappedAddresses({ success, failed }: Model['file']['routes']): readonly Draft[] {
  const getLastPart = (address: string): string => address.split('/').at(-1) ?? ''
  const isFailure = (address: string): boolean => FAILURE_ADDRESS.test(getLastPart(address))
  const isSuccess = (address: string): boolean =>
    SUCCESS_ADDRESS.test(getLastPart(address)) && !isFailure(address)
  const [isSuccessAddressWrong, isFailedAddressWrong] = [isFailure(success), isSuccess(failed)]
  if (!isSuccessAddressWrong && !isFailedAddressWrong) return []
  const [key, other] = isSuccessAddressWrong
    ? (['success', 'failed'] as const)
    : (['failed', 'success'] as const)
  return [
    {
      at: `routes.${key}`,
      message:
        isSuccessAddressWrong && isFailedAddressWrong
          ? 'the addresses of `success` and `failed` are swapped'
          : `the address of \`${key}\` refers to the other page`,
      related: [{ at: `routes.${other}`, message: 'the other address' }],
      help:
        isSuccessAddressWrong && isFailedAddressWrong
          ? 'swap the two addresses'
          : 'write the address of this page',
    },
  ]
}

export const unlikelyTextChecks = {
  EV645: transferWithoutAccountCheck,
  EV649: placeholderOftenEmptyCheck,
  EV650: emailWithoutNumberCheck,
  EV653: resultPagesSwappedCheck,
} satisfies Checks
