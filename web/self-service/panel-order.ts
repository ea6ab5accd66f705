/** The order of the panels below the payment state. A panel without content renders nothing. */
import type { ComponentType } from 'react'
import { RequestCancellation } from './request-cancellation.tsx'
import { Documents } from './receipts-and-invoices.tsx'
import { EditAnswers } from './edit-answers.tsx'
import { UploadDocuments } from './upload-documents.tsx'
import { RefusalAndOffer } from './refusal-and-category-offer.tsx'
import type { PanelProps } from './panel-props.ts'
import { ManualPayment } from './payment-claim.tsx'

export const PANELS: readonly ComponentType<PanelProps>[] = [
  ManualPayment,
  RefusalAndOffer,
  Documents,
  UploadDocuments,
  EditAnswers,
  RequestCancellation,
]
