/** The elements of an e-CF after its header; see ecf-header-table.ts for how to read it. */
export const ECF_BODY_TABLE = `
MMMMMMMMMM block      DetallesItems
	MMMMMMMMMM block*lines Item
		MMMMMMMMMM line       NumeroLinea
		OOOOOOOOOO block      TablaCodigosItem
			MMMMMMMMMM block*5    CodigosItem
				MMMMMMMMMM text14     TipoCodigo
				MMMMMMMMMM text35     CodigoItem
		MMMMMMMMMM 0..4       IndicadorFacturacion
		O-OOM----M block      Retencion
			O-OOM----M 1|2        IndicadorAgenteRetencionoPercepcion
			O-OOO----- amount     MontoITBISRetenido
			O-OOO----M amount     MontoISRRetenido
		MMMMMMMMMM text80     NombreItem
		MMMMMMMMMM 1|2        IndicadorBienoServicio
		OOOOOOOOOO text1000   DescripcionItem
		MMMMMMMMMM positive   CantidadItem
		OOOOOOOOOO unit       UnidadMedida
		OOOO---O-- amount     CantidadReferencia
		OOOO---O-- unit       UnidadReferencia
		OOOO---O-- block      TablaSubcantidad
			MMMM---M-- block*5    SubcantidadItem
				OOOO---O-- measure    Subcantidad
				OOOO---O-- unit       CodigoSubcantidad
		OOOO---O-- percent    GradosAlcohol
		OOOO---O-- positive   PrecioUnitarioReferencia
		OOOOO-OOO- date       FechaElaboracion FechaVencimientoItem
		-OOO----O- block      Mineria
			-OOO----O- measure    PesoNetoKilogramo PesoNetoMineria
			-OOO----O- 1|2        TipoAfiliacion Liquidacion
		MMMMMMMMMM price      PrecioUnitarioItem
		OOOOO-OOO- amount     DescuentoMonto
		OOOOO-OOO- block      TablaSubDescuento
			MMMMM-MMM- block*12   SubDescuento
				MMMMM-MMM- $|%        TipoSubDescuento
				OOOOO-OOO- percent    SubDescuentoPorcentaje
				OOOOO-OOO- amount     MontoSubDescuento
		OOOOO-OOO- amount     RecargoMonto
		OOOOO-OOO- block      TablaSubRecargo
			MMMMM-MMM- block*12   SubRecargo
				MMMMM-MMM- $|%        TipoSubRecargo
				OOOOO-OOO- percent    SubRecargoPorcentaje
				OOOOO-OOO- amount     MontoSubRecargo
		OOOO--OO-- block      TablaImpuestoAdicional
			MMMM--MM-- block*2    ImpuestoAdicional
				MMMM--MM-- tax        TipoImpuesto
		OOOOOOOOOO block      OtraMonedaDetalle
			OOOOOOOOOO price      PrecioOtraMoneda
			OOOOOOOOOO amount     DescuentoOtraMoneda RecargoOtraMoneda MontoItemOtraMoneda
		MMMMMMMMMM amount     MontoItem
OOOOOOOOOO block      Subtotales
	MMMMMMMMMM block*20   Subtotal
		OOOOOOOOOO digits2    NumeroSubTotal
		OOOOOOOOOO text40     DescripcionSubtotal
		OOOOOOOOOO digits2    Orden
		OOOOO--OO- amount     SubTotalMontoGravadoTotal
		OOOOO--O-- amount     SubTotalMontoGravadoI1 SubTotalMontoGravadoI2
		OOOOO--OO- amount     SubTotalMontoGravadoI3 SubTotaITBIS
		OOOOO--O-- amount     SubTotaITBIS1 SubTotaITBIS2
		OOOOO--OO- amount     SubTotaITBIS3
		OOOOO-OO-- amount     SubTotalImpuestoAdicional
		OOOOOOOO-O amount     SubTotalExento
		OOOOOOOOOO amount     MontoSubTotal
		OOOOOOOOOO digits2    Lineas
OOOOO-OOO- block      DescuentosORecargos
	MMMMM-MMM- block*20   DescuentoORecargo
		MMMMM-MMM- digits2    NumeroLinea
		MMMMM-MMM- D|R        TipoAjuste
		OOOO---O-- 0|1        IndicadorNorma1007
		OOOOO-OOO- text45     DescripcionDescuentooRecargo
		OOOOO-OOO- $|%        TipoValor
		OOOOO-OOO- percent    ValorDescuentooRecargo
		OOOOO-OOO- amount     MontoDescuentooRecargo MontoDescuentooRecargoOtraMoneda
		OOOOO-OOO- 1..4       IndicadorFacturacionDescuentooRecargo
OOOOOOOOOO block      Paginacion
	MMMMMMMMMM block*lines Pagina
		OOOOOOOOOO line       PaginaNo NoLineaDesde NoLineaHasta
		OOOOO--OO- amount     SubtotalMontoGravadoPagina
		OOOOO--O-- amount     SubtotalMontoGravado1Pagina SubtotalMontoGravado2Pagina
		OOOOO--OO- amount     SubtotalMontoGravado3Pagina
		OOOOOOOO-O amount     SubtotalExentoPagina
		OOOOO--OO- amount     SubtotalItbisPagina
		OOOOO--O-- amount     SubtotalItbis1Pagina SubtotalItbis2Pagina
		OOOOO--OO- amount     SubtotalItbis3Pagina
		OOOO--OO-- positive   SubtotalImpuestoAdicionalPagina
		OOOO--OO-- block      SubtotalImpuestoAdicional
			OOOO---O-- positive   SubtotalImpuestoSelectivoConsumoEspecificoPagina
			OOOO--OO-- positive   SubtotalOtrosImpuesto
		OOOOOOOOOO amount     MontoSubtotalPagina
		OOOO--OOO- amount     SubtotalMontoNoFacturablePagina
OOMMOOOOOO block      InformacionReferencia
	OOMMOOOOOO reference  NCFModificado
	OOOOOOOOOO taxpayer   RNCOtroContribuyente
	OOMMOOOOOO date       FechaNCFModificado
	OOMMOOOOOO 1..5       CodigoModificacion
	--OO------ text90     RazonModificacion
MMMMMMMMMM datetime   FechaHoraFirma
`;
