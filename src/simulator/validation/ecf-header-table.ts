/**
 * The elements of an e-CF, its header: in document order, indented under their block.
 *
 * A line has the types 31 32 33 34 41 43 44 45 46 47, one letter each (M it must stand, O it may, - it must not), the form, with `*` and how
 * often it may stand, and the names that have all of this in common. `lines`: 1000, in notes 10000; the forms `line` and `pages` follow it.
 * Source: the authority's e-CF schemas, version 1.0, October 2025.
 */
export const ECF_HEADER_TABLE = `
MMMMMMMMMM block      Encabezado
	MMMMMMMMMM version    Version
	MMMMMMMMMM block      IdDoc
		MMMMMMMMMM type       TipoeCF
		MMMMMMMMMM encf       eNCF
		---M------ 0|1        IndicadorNotaCredito
		M-M-MMMMMM date       FechaVencimientoSecuencia
		OOOO--OOO- 1          IndicadorEnvioDiferido
		OOOOO--O-- 0|1        IndicadorMontoGravado
		OOOO--OO-- 1          IndicadorServicioTodoIncluido
		MMMM--MMM- 01..06     TipoIngresos
		MMMMOOMMMO 1..3       TipoPago
		OOOOO-OOOO date       FechaLimitePago
		OOO-O-OOOO words15    TerminoPago
		OOO-O-OOOO block      TablaFormasPago
			MMM-M-MMMM block*7    FormaDePago
				MMM-M-MMMM 1..8       FormaPago
				MMM-M-MMMM amount     MontoPago
		OOO-O-OOOO CT|AH|OT   TipoCuentaPago
		OOO-O-OOOO text28     NumeroCuentaPago
		OOO-O-OOOO text75     BancoPago
		OOOO--OOOO date       FechaDesde FechaHasta
		OOOOOOOOOO pages      TotalPaginas
	MMMMMMMMMM block      Emisor
		MMMMMMMMMM taxpayer   RNCEmisor
		MMMMMMMMMM text150    RazonSocialEmisor
		OOOOOOOOOO text150    NombreComercial
		OOOOOOOOOO text20     Sucursal
		MMMMMMMMMM text100    DireccionEmisor
		OOOOOOOOOO place      Municipio Provincia
		OOOOOOOOOO block      TablaTelefonoEmisor
			MMMMMMMMMM phone*3    TelefonoEmisor
		OOOOOOOOOO mail       CorreoEmisor
		OOOOOOOOOO text50     WebSite
		OOOOOOOOOO text100    ActividadEconomica
		OOOO--OOO- text60     CodigoVendedor
		OOOOOOOOOO text20     NumeroFacturaInterna
		OOOOOOOOOO digits20   NumeroPedidoInterno
		OOOO--OOO- text20     ZonaVenta RutaVenta
		OOOOOOOOOO text250    InformacionAdicionalEmisor
		MMMMMMMMMM date       FechaEmision
	MMOOM-MMMO block      Comprador
		MOOOM-OMO- taxpayer   RNCComprador
		-OOO--O-OO text20     IdentificadorExtranjero
		MOOOM-MMMO text150    RazonSocialComprador
		OOOOO-OOO- text80     ContactoComprador
		OOOOO-OOO- mail       CorreoComprador
		OOOOO-OOO- text100    DireccionComprador
		OOOOO-OOO- place      MunicipioComprador ProvinciaComprador
		--------O- letters60  PaisComprador
		OOOO--OOO- date       FechaEntrega
		OOOO--OOO- text100    ContactoEntrega DireccionEntrega
		OOOO--OOO- phone      TelefonoAdicional
		OOOO--OOO- date       FechaOrdenCompra
		OOOO--OOO- text20     NumeroOrdenCompra
		OOOOO-OOO- text20     CodigoInternoComprador
		OOOOO-OOO- letters20  ResponsablePago
		OOOOO-OOO- text150    InformacionAdicionalComprador
	OOOO--OOO- block      InformacionesAdicionales
		OOOO--OOO- date       FechaEmbarque
		OOOO--OOO- text25     NumeroEmbarque
		OOOO--OOO- text100    NumeroContenedor
		OOOO--O-O- digits20   NumeroReferencia
		-------O-- text20     NumeroReferencia
		--------O- text40     NombrePuertoEmbarque
		--------O- letters3   CondicionesEntrega
		--------O- positive   TotalFob Seguro Flete OtrosGastos
		--------O- amount     TotalCif
		--------O- letters35  RegimenAduanero
		--------O- text40     NombrePuertoSalida NombrePuertoDesembarque
		OOOO--OOO- amount     PesoBruto PesoNeto
		OOOO--OOO- unit       UnidadPesoBruto UnidadPesoNeto
		OOOO--OOO- amount     CantidadBulto
		OOOO--OOO- unit       UnidadBulto
		OOOO--OOO- positive   VolumenBulto
		OOOO--OOO- unit       UnidadVolumen
	OOOO--OOOO block      Transporte
		--------O- 01..03     ViaTransporte
		--------O- letters60  PaisOrigen
		--------O- text100    DireccionDestino
		--------OO letters60  PaisDestino
		--------O- text20     RNCIdentificacionCompaniaTransportista
		--------O- text150    NombreCompaniaTransportista
		--------O- text20     NumeroViaje
		OOOO--OOO- text20     Conductor
		OOOO--OOO- digits20   DocumentoTransporte
		OOOO--OOO- text10     Ficha
		OOOO--OOO- text7      Placa
		OOOO--OOO- text20     RutaTransporte ZonaTransporte NumeroAlbaran
	MMMMMMMMMM block      Totales
		OOOOO--OO- amount     MontoGravadoTotal
		OOOOO--O-- amount     MontoGravadoI1 MontoGravadoI2
		OOOOO--OO- amount     MontoGravadoI3
		OOOOOOOO-O amount     MontoExento
		OOOOO--O-- 18         ITBIS1
		OOOOO--O-- 16         ITBIS2
		OOOOO--OO- 0          ITBIS3
		OOOOO--OO- amount     TotalITBIS
		OOOOO--O-- amount     TotalITBIS1 TotalITBIS2
		OOOOO--OO- amount     TotalITBIS3
		OOOO--OO-- positive   MontoImpuestoAdicional
		OOOO--OO-- block      ImpuestosAdicionales
			MMMM--MM-- block*20   ImpuestoAdicional
				MMMO--MM-- tax        TipoImpuesto
				MMMO--MM-- percent    TasaImpuestoAdicional
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoEspecifico MontoImpuestoSelectivoConsumoAdvalorem
				OOOO--MO-- positive   OtrosImpuestosAdicionales
		MMMMMMMMMM amount     MontoTotal
		OOOO--OOO- signed     MontoNoFacturable
		OOOOOOOOOO signed     MontoPeriodo SaldoAnterior
		OOOOOOOOOO amount     MontoAvancePago
		OOOOOOOOOO signed     ValorPagar
		O-OOO----- amount     TotalITBISRetenido
		O-OOO----O amount     TotalISRRetencion
		O-OOO----- amount     TotalITBISPercepcion TotalISRPercepcion
	OOOOOOOOOO block      OtraMoneda
		OOOOOOOOOO currency   TipoMoneda
		OOOOOOOOOO rate       TipoCambio
		OOOOO--OO- amount     MontoGravadoTotalOtraMoneda
		OOOOO--O-- amount     MontoGravado1OtraMoneda MontoGravado2OtraMoneda
		OOOOO--OO- amount     MontoGravado3OtraMoneda
		OOOOOOOO-O amount     MontoExentoOtraMoneda
		OOOOO--OO- amount     TotalITBISOtraMoneda
		OOOOO--O-- amount     TotalITBIS1OtraMoneda TotalITBIS2OtraMoneda
		OOOOO--OO- amount     TotalITBIS3OtraMoneda
		OOOO--OO-- positive   MontoImpuestoAdicionalOtraMoneda
		OOOO--OO-- block      ImpuestosAdicionalesOtraMoneda
			MMMM--MM-- block*20   ImpuestoAdicionalOtraMoneda
				MMMM--OO-- tax        TipoImpuestoOtraMoneda
				MMMM--OO-- percent    TasaImpuestoAdicionalOtraMoneda
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoEspecificoOtraMoneda
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoAdvaloremOtraMoneda
				OOOO--OO-- positive   OtrosImpuestosAdicionalesOtraMoneda
		OOOOOOOOOO amount     MontoTotalOtraMoneda
`;
