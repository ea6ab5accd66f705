/**
 * Handles a server-rendered form before hydration: calculates the live price and records a press of
 * Pay. Built separately, without React, and loaded first. It undoes its changes to the page when
 * React hydrates the form.
 */
import {
  getButtonText,
  formatPrice,
  formatUnknownAmount,
  normalise,
} from '../../../engine/index.ts'
import { FORM_PRICE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Answers, RawAnswers } from '../../../engine/index.ts'
import type { PageData } from '../../../engine/api.ts'
import { buildInitialAnswers } from '../draft-storage.ts'
import { FORM_ID } from '../form/field-keys.ts'
import type { PreHydrationText } from '../form/field-keys.ts'
import { calculatePrice } from '../price/live-price.ts'
import type { FormPageData, PriceView } from '../price/live-price.ts'
import type { FormExtensions } from '../form/form-extensions.ts'
import { readEnteredAnswers, onTakeover } from './answers-typed-before-hydration.ts'
import { focusNextOnEnter } from '../fields/keyboard-and-autofill.ts'

/** Hides an element but keeps its space, so that nothing moves. */
const setHidden = (element: HTMLElement, isHidden: boolean): void => {
  element.style.visibility = isHidden ? 'hidden' : ''
}

/** How a form calculates its price and labels its button. */
type Extensions = Pick<FormExtensions, 'pricing' | 'submitLabel'>

function runBeforeHydration(
  { event: { event }, tariff }: FormPageData,
  { pricing, submitLabel }: Extensions,
): void {
  if (tariff === null) return
  const updatableTexts = [...document.querySelectorAll<HTMLElement>('[data-ahead]')].flatMap(
    (element) => {
      const text = [...element.childNodes].find((node) => node instanceof Text)
      return text
        ? [{ text, initialText: text.data, kind: element.dataset['ahead'] as PreHydrationText }]
        : []
    },
  )
  // The first page of a multi-page form has no pay button, only a button to the next page, which needs the form's
  // script.
  const buttons =
    event.form.pages === 'one'
      ? document.querySelectorAll<HTMLButtonElement>(`button[form="${FORM_ID}"]`)
      : []
  const reasons = document.querySelectorAll<HTMLElement>('#pay-why')
  const bills = document.querySelectorAll<HTMLElement>('.side .details')
  const totals = document.querySelectorAll<HTMLElement>('.side .details .tot')
  const calculateAnswersPrice = (answers: Answers) =>
    calculatePrice(event, { is: 'loaded', response: tariff }, answers, pricing)
  const readAnswers = (rawAnswers: RawAnswers): Answers => normalise(event, rawAnswers).answers
  const getTotal = (price: PriceView) => (price.is === 'price' ? price.quote.total : null)
  const formatTotal = (price: PriceView) =>
    price.is === 'price' ? formatPrice(price.quote.total, price.quote.currency) : null
  /** The total of the bill in the page, or null if the initial answers have no price. */
  const billTotal = formatTotal(calculateAnswersPrice(readAnswers(buildInitialAnswers(event))))
  let isPressed = false

  const updatePrice = (): void => {
    const answers = readAnswers({
      ...buildInitialAnswers(event),
      ...Object.fromEntries(readEnteredAnswers(event)),
    })
    const price = calculateAnswersPrice(answers)
    const total = getTotal(price)
    const amount = formatTotal(price)
    const texts: Readonly<Record<PreHydrationText, string | null>> = {
      total: amount ?? formatUnknownAmount(event.currency),
      instead: amount,
      short: price.is === 'none' ? price.reason : '',
      empty: amount === null ? null : formatMessage(FORM_PRICE_MESSAGES.total, { amount }),
      why: price.is === 'none' ? price.reason : null,
      pay: isPressed
        ? FORM_PRICE_MESSAGES.wait
        : (submitLabel(event, answers) ?? getButtonText(event, total)),
    }
    for (const { text, initialText, kind } of updatableTexts) text.data = texts[kind] ?? initialText
    for (const button of buttons) button.disabled = price.is === 'none'
    for (const reason of reasons) setHidden(reason, price.is !== 'none')
    for (const bill of bills) setHidden(bill, amount !== billTotal)
    // In a hidden bill, the total stays visible. The other rows belong to the initial answers.
    for (const totalRow of totals) totalRow.style.visibility = amount === null ? '' : 'visible'
  }
  const onChange = (): void => {
    // Pay was pressed for the previous answers.
    isPressed = false
    updatePrice()
  }
  const onSubmit = (submitEvent: Event): void => {
    if ((submitEvent.target as Element).id !== FORM_ID) return
    // Otherwise, the browser would send the answers in the URL.
    submitEvent.preventDefault()
    isPressed = true
    updatePrice()
  }
  const abort = new AbortController()
  const { signal } = abort
  const form = document.getElementById(FORM_ID)
  form?.addEventListener(
    'keydown',
    (keyEvent) => focusNextOnEnter({ nativeEvent: keyEvent, currentTarget: form }),
    { signal },
  )
  document.addEventListener('input', onChange, { signal })
  document.addEventListener('change', onChange, { signal })
  document.addEventListener('submit', onSubmit, { signal })
  onTakeover(() => {
    abort.abort()
    for (const { text, initialText } of updatableTexts) text.data = initialText
    for (const element of [...reasons, ...bills, ...totals]) setHidden(element, false)
    return isPressed
  })
  updatePrice()
}

/** Starts on a server-rendered form; on any other page it does nothing. */
export function startBeforeHydration(extensions: Extensions): void {
  const page = JSON.parse(document.getElementById('page')?.textContent ?? 'null') as PageData | null
  if (page?.page === 'event' && page.drawn) runBeforeHydration(page, extensions)
}
