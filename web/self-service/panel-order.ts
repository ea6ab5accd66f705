/** The order of the panels below the payment state. A panel without content renders nothing. */
import type { ComponentType } from 'react'
import { Cancel } from './request-cancellation.tsx'
import { Documents } from './receipts-and-invoices.tsx'
import { Edit } from './edit-answers.tsx'
import { Files } from './upload-documents.tsx'
import { Offer } from './refusal-and-category-offer.tsx'
import type { PanelProps } from './panel-props.ts'
import { Told } from './payment-claim.tsx'

export const PANELS: readonly ComponentType<PanelProps>[] = [
  Told,
  Offer,
  Documents,
  Files,
  Edit,
  Cancel,
]
