// Starts Swagger UI on the document of this very service; the validator of swagger.io is not asked.
window.SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#swagger-ui",
	deepLinking: true,
	docExpansion: "none",
	defaultModelsExpandDepth: 0,
	validatorUrl: null,
});
