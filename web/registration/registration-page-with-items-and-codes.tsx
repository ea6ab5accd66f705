/** The page of an event that sells more than a registration or has list fields. */
import type { RegistryWidgetsType } from '@rjsf/utils'
import { findCategory } from '../../engine/index.ts'
import type { RawAnswers } from '../../engine/index.ts'
import { buildBillRows } from '../ui/payment/bill-rows.tsx'
import { listApprovalNotes, getSubmitLabel } from './approval-notes.ts'
import {
  calculatePriceByBill,
  listMethodNotes,
  buildOptionStatuses,
  listPriceNotes,
} from './price/itemised-price.ts'
import { Checkboxes, ConsentCheckbox } from './fields/checkboxes.tsx'
import { EventPage } from './registration-page.tsx'
import type { EventPageProps } from './registration-page.tsx'
import { DropdownMenu } from './fields/dropdown-menu.tsx'
import type { FormExtensions } from './form/form-extensions.ts'
import { LivePricingContext } from './price/live-pricing-context.tsx'
import { MultiPageForm } from './form/multi-page-form.tsx'
import { ListField, People, PersonBox, buildFullUiSchema } from './fields/people-list.tsx'
import { readAlternative, SubmitAnywayDialog } from './submit-anyway-dialog.tsx'

/** All extensions of the form. */
export const ALL_EXTENSIONS: FormExtensions = {
  overrides: {
    fields: { ArrayField: ListField },
    widgets: {
      boxes: Checkboxes,
      consent: ConsentCheckbox,
      menu: DropdownMenu,
    } as unknown as RegistryWidgetsType<RawAnswers>,
    templates: { ArrayFieldTemplate: People, ArrayFieldItemTemplate: PersonBox },
  } as FormExtensions['overrides'],
  buildUiSchema: buildFullUiSchema,
  pricing: calculatePriceByBill,
  buildRows: buildBillRows,
  hasCategoryInRows: true,
  priceNotes: (event, answers, left, price, now) => [
    ...(price === null ? [] : listMethodNotes(event, answers, price, now)),
    ...listPriceNotes(event, answers, left),
    ...listApprovalNotes(event, answers),
  ],
  submitLabel: getSubmitLabel,
  PricingContextProvider: LivePricingContext,
  Paged: MultiPageForm,
  readAlternative,
  SubmitAnywayDialog,
  buildOptionStatuses: (event, tariff, answers) =>
    buildOptionStatuses(event, tariff, answers, findCategory(event, answers)),
}

export default function ExtendedRegistrationPage(props: EventPageProps) {
  return <EventPage {...props} extensions={ALL_EXTENSIONS} />
}
